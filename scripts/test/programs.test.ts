import { resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { programs } from '../rules/programs.ts';
import { tree } from './fixture-tree.ts';

const file = 'packages/toolbox/src/a.ts';
const messages = (text: string, at = file) => programs(tree({ [at]: text })).map(({ message }) => message);
const SPAWN = "import { spawn } from 'node:child_process';\n";

test.each([
  ['a bare name', `${SPAWN}spawn('git', ['status']);`, "starts 'git'"],
  [
    'a bare name where there is none',
    `${SPAWN}spawn(findSystemProgram('bwrap') ?? 'bwrap', args);`,
    'starts findSystemProgram',
  ],
  ['a relative path', `${SPAWN}spawn('./tool');`, "starts './tool'"],
  ['a template', `${SPAWN}spawn(\`\${folder}/git\`);`, 'starts `'],
  ['a variable of unknown origin', `${SPAWN}const program = process.env.TOOL;\nspawn(program);`, 'starts program'],
  ['a name over several lines', `${SPAWN}const child = spawn(\n  'rg',\n  [],\n);`, "starts 'rg'"],
  [
    'execFile',
    "import { execFile } from 'node:child_process';\nexecFile('secret-tool', [], done);",
    "starts 'secret-tool'",
  ],
  ['execFileSync', "import { execFileSync } from 'node:child_process';\nexecFileSync('tar', []);", "starts 'tar'"],
  ['spawnSync', "import { spawnSync } from 'child_process';\nspawnSync('rg', []);", "starts 'rg'"],
  ['fork of a name', "import { fork } from 'node:child_process';\nfork('worker.ts');", "starts 'worker.ts'"],
  ['exec', "import { exec } from 'node:child_process';\nexec('ls');", 'imports "exec"'],
  ['execSync', "import { type ChildProcess, execSync } from 'node:child_process';", 'imports "execSync"'],
  ['another name', "import { spawn as start } from 'node:child_process';\nstart('git');", 'imports "spawn as start"'],
  ['the whole module', "import * as processes from 'node:child_process';", 'as a whole'],
  ['a lazy import', "const { spawn } = await import('node:child_process');", 'otherwise than by a plain import'],
  [
    'a built-in module',
    "process.getBuiltinModule('node:child_process').spawn('git');",
    'otherwise than by a plain import',
  ],
  [
    'a starter that is passed on',
    "import { execFile } from 'node:child_process';\nconst run = promisify(execFile);",
    'passes "execFile" on',
  ],
  ['a shell by its bare name', `${SPAWN}spawn(process.execPath, { shell: true });`, 'shell by its bare name'],
])('%s is refused', (_name, text, message) => {
  verifies('architecture.programs');
  expect(messages(text)).toEqual([expect.stringContaining(message)]);
});

test.each([
  ['this Node', `${SPAWN}spawn(process.execPath, ['a.js']);`],
  ['an absolute path', `${SPAWN}spawn('/usr/bin/sandbox-exec', args);`],
  ['what was found', `${SPAWN}const program = findProgram('rg');\nif (program !== undefined) spawn(program, args);`],
  ['what was required', `${SPAWN}spawn(requireProgram('bwrap', 'It', folder), args);`],
  [
    'types, comments and words',
    "import type { ChildProcess } from 'node:child_process';\n// spawn('git')\nrespawn('git');\nx.spawn('git');",
  ],
])('%s is allowed', (_name, text) => {
  expect(messages(text)).toEqual([]);
});

test('a function that starts what it is given is checked where it is called', () => {
  verifies('architecture.programs');
  const app = 'apps/prompt-agent/src/credentials/a.ts';
  const call = (program: string) => `import { runProgram } from './run-program.ts';\nawait runProgram(${program}, []);`;
  expect(messages(call("'security'"), app)).toEqual([expect.stringContaining("starts 'security'")]);
  expect(messages(call('process.execPath'), app)).toEqual([]);
  const release = "import { run } from './shell.ts';\nawait run('it fails', 'npm', ['init']);";
  expect(messages(release, 'scripts/release/a.ts')).toEqual([expect.stringContaining("starts 'npm'")]);
});

test('an exception that nothing needs any more is reported', () => {
  verifies('architecture.programs');
  expect(messages('export {};', 'packages/toolbox/src/files/search/ripgrep.ts')).toEqual([
    'does not start program any more: remove the exception.',
  ]);
});

test('this repository keeps the rule', () => {
  verifies('architecture.programs');
  expect(programs(resolve(import.meta.dirname, '../..'))).toEqual([]);
});
