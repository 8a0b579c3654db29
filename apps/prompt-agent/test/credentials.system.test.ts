import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { readBytes, readText } from '../src/files/read-file.ts';
import { promptHere, workspace } from './program.ts';

describe('a pipe or a device', () => {
  test('is refused as a file at once, and so is one that is too long', async () => {
    verifies('cli.files.special');
    const folder = workspace({ 'long.txt': 'x'.repeat(100) });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const path of [join(folder, 'pipe'), '/dev/zero', folder])
      await expect(readText(path, '--config')).rejects.toThrow('is not a file');
    await expect(readBytes(join(folder, 'long.txt'), { what: '--images', maxBytes: 99 })).rejects.toThrow(
      'has 100 bytes; at most 99 are read',
    );
    expect(await readText(join(folder, 'none'), '--config')).toBeUndefined();
  });

  test('does not block the program: --config, --images, --tools-file, --audio, --memory', async () => {
    verifies('cli.files.special');
    const cwd = workspace({ 'notes/a.md': 'Likes tea.' });
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    execFileSync('mkfifo', [join(cwd, 'notes/pipe.md')]);
    const outcomes = await Promise.all(
      [
        ['--config', 'pipe', 'hi'],
        ['--provider', 'openai', '--model', 'm', '-protocol', 'vision', '--images', 'pipe', 'hi'],
        ['--provider', 'openai', '--model', 'm', '-protocol', 'tools', '--tools-file', 'pipe', 'hi'],
        ['--provider', 'openai', '--model', 'm', '-protocol', 'audio', '--audio', 'pipe'],
      ].map((args) => promptHere(args, { cwd })),
    );
    expect(outcomes.map(({ code, stderr }) => [code, stderr.includes('is not a file')])).toEqual(
      outcomes.map(() => [2, true]),
    );
    expect((await promptHere(['--memory', 'notes', '2+2'], { cwd })).stdout).toBe('4\n');
  });
});
