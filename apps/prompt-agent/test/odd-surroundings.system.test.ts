import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { environmentAt, workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

let server: WireServer;
beforeEach(async () => {
  server = await startWireServer({ replies: () => ({ text: 'ok' }) });
});
afterEach(() => server.close());

/** The program's own command line, for a shell. */
const shellLine = (...words: readonly string[]): string =>
  [process.execPath, CLI, '--base-url', server.baseUrl, '-m', 'm', '-q', ...words].map((word) => `'${word}'`).join(' ');

/** Runs a line in bash. */
function bash(line: string, cwd: string): Promise<{ readonly code: number | null; readonly stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', line], { cwd, env: environmentAt(cwd), stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    child.on('error', reject).on('close', (code) => resolve({ code, stdout }));
  });
}

describe('a folder that was deleted while a shell is in it', () => {
  test('is a usage error that says so; the help is printed all the same', async () => {
    verifies('cli.folder.deleted');
    const cwd = workspace();
    mkdirSync(join(cwd, 'gone'));
    const line = `cd gone; rmdir ../gone; ${shellLine('--json', 'hi')} 2>/dev/null; echo " $?"; ${shellLine('--help')}`;
    const { stdout } = await bash(line, cwd);
    expect(() => rmdirSync(join(cwd, 'gone'))).toThrow('ENOENT');
    expect(stdout).toMatch(/"message":"The current folder no longer exists\..*\n 2\nUsage: /);
  });
});

describe('stderr that nobody reads', () => {
  test.each(['2> >(exec true)', '2>&-', '2>/dev/null'])('loses no answer: %s', async (redirection) => {
    verifies('cli.streams.stderr');
    const { code, stdout } = await bash(`${shellLine('hi').replace("'-q'", '')} ${redirection}`, workspace());
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
  });
});

describe('-f of a pipe that the shell made', () => {
  test('sends what a command prints', async () => {
    verifies('cli.ask.fragments');
    expect((await bash(`${shellLine('-f')} <(echo one; echo two) 'sum up'`, workspace())).stdout).toBe('ok\n');
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/<file name=.*\/dev\/fd\/\d+.*>\\none\\ntwo\\n<\/file>/);
  });
});

describe('-f of a file without a size', () => {
  test.runIf(process.platform === 'linux')('sends what the system writes into it', async () => {
    verifies('cli.ask.fragments');
    await bash(shellLine('-f', '/proc/version', 'sum up'), workspace());
    expect(JSON.stringify(server.requests[0]?.body)).toContain(
      JSON.stringify(readFileSync('/proc/version', 'utf8'))
        .slice(1, -1)
        .replaceAll('"', String.raw`\"`),
    );
  });
});
