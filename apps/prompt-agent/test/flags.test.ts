import { readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { prompt, workspace } from './program.ts';

test('flags take one dash or two, and = or a space; the prompt is a flag or the rest', async () => {
  verifies('cli.flags');
  const cwd = workspace();
  for (const args of [
    ['-prompt', '2+2'],
    ['--prompt', '2+2'],
    ['-prompt=2+2'],
    ['--prompt=2+2'],
    ['2+2'],
    ['what', 'is', '2+2'],
    ['-stream', '2+2'],
    ['-stream=false', '--prompt', '2+2'],
    ['--provider=offline', '-workspace', '.', '--', '2+2'],
    ['-prompt', '-1 + 5'],
    ['-1 + 5'],
  ]) {
    const { code, stdout } = await prompt(args, { cwd });
    expect([args, code, stdout]).toEqual([args, 0, '4\n']);
  }
});

test.each([
  [[], 'prompt is missing'],
  [['-protocol', 'chat'], 'prompt is missing'],
  [['-protocol', 'vision', 'hi'], '--images'],
  [['-protocol', 'tools', 'hi'], '--tools-file'],
  [['-protocol', 'audio'], '--audio'],
  [['-protocol', 'telepathy', 'hi'], '--protocol'],
  [['-protocol', 'constructor', 'hi'], '--protocol'],
  [['--nonsense', 'hi'], '--nonsense'],
  [['--toString', 'hi'], '--toString'],
  [['hi', '--model'], '--model'],
  [['--stream=maybe', 'hi'], '--stream'],
  [['--prompt', 'a', 'b'], '--prompt'],
  [['--max-turns', 'x', 'hi'], '--max-turns'],
  [['--json', '--json-lines', 'hi'], '--json'],
  [['--provider', 'openay', 'hi'], 'Known: anthropic, '],
  [['--provider', 'constructor', 'hi'], 'No provider is named "constructor"'],
  [['--provider', 'azure', '--base-url', 'http://127.0.0.1:9', 'hi'], 'deployment'],
  [['--provider', 'openai', '-protocol', 'chat', '--base-url', 'nowhere', 'hi'], 'baseUrl'],
])('%j exits 2 with a line that names the flag', async (args, named) => {
  verifies('cli.required', 'cli.exit');
  const { code, stdout, stderr } = await prompt(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n')[0]).toMatch(/^prompt-agent: /);
  expect(stderr).toContain(named);
});

test('a flag without effect for the protocol warns', async () => {
  verifies('cli.required');
  const { code, stdout, stderr } = await prompt(['--images', 'x.png', '--tools-file', 'y.json', '2+2']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '4\n' });
  expect(stderr).toContain('warning: --images has no effect without --protocol');
  expect(stderr).toContain('warning: --tools-file has no effect');
});

test('--help lists every flag and --version prints the version; both exit 0', async () => {
  for (const args of [['--help'], ['-h']]) {
    const { code, stdout, stderr } = await prompt(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: prompt-agent');
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    for (const [flag] of stdout.matchAll(/--[a-z-]{3,}/g)) expect(readme).toContain(flag);
  }
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  expect((await prompt(['--version'])).stdout).toBe(`${manifest.version}\n`);
});
