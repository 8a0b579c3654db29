import { resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { programs } from '../rules/programs.ts';
import { tree } from './fixture-tree.ts';

const file = 'packages/toolbox/src/commands/a.ts';
const messages = (text: string, at = file) => programs(tree({ [at]: text })).map(({ message }) => message);
const SPAWN = "import { spawn } from 'node:child_process';\n";

test.each([
  ['a bare name', `${SPAWN}spawn('git', ['status']);`, "starts 'git'"],
  [
    'a bare name where there is none',
    `${SPAWN}spawn(findSystemProgram('bwrap') ?? 'bwrap', args);`,
    'starts findSystemProgram',
  ],
  ['a bare name where nothing was found', `${SPAWN}spawn(findProgram('git') ?? 'git', []);`, 'starts findProgram'],
  ['a name where nothing was found', `${SPAWN}spawn(findProgram('git') || name);`, 'starts findProgram'],
  [
    'a variable of what was found, or of a bare name',
    `${SPAWN}const git = (await findProgram('git')) ?? 'git';\nspawn(git);`,
    'starts git',
  ],
  [
    'a parameter with the name of what was found',
    `${SPAWN}const git = findProgram('git');\nconst start = (git) => spawn(git);`,
    'starts git',
  ],
  ['what looks names up', `${SPAWN}spawn('/usr/bin/env', ['git']);`, "starts '/usr/bin/env'"],
  ['a shell by name', `${SPAWN}spawn(process.execPath, [], { shell: 'bash' });`, 'shell by its bare name'],
  [
    'another Node by name',
    "import { fork } from 'node:child_process';\nfork('/abs/x.js', { execPath: 'node' });",
    "starts 'node'",
  ],
  ['a path that leaves the root', `${SPAWN}spawn(join(root, '..', name));`, 'starts join'],
  [
    'a module whose name is put together',
    "await import('node:child_' + 'process');",
    'otherwise than by a plain import',
  ],
  ['a package that starts programs', "import { execa } from 'execa';", 'loads execa'],
  ["Deno's way", "new Deno.Command('git');", 'starts programs by Deno.Command'],
  [
    'the program of an isolated command',
    "export const wrap = () => ({ program: findProgram('bwrap') ?? 'bwrap', args });",
    'starts findProgram',
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
  ['another name', "import { spawn as start } from 'node:child_process';\nstart('git');", "starts 'git'"],
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
  ['an environment that may name start-up files', `${SPAWN}spawn(process.execPath, [], { cwd });`, 'childVariables'],
  ['an environment of another origin', `${SPAWN}spawn('/bin/sh', { env: process.env });`, 'childVariables'],
  ['a shell by its bare name', `${SPAWN}spawn(process.execPath, { shell: true });`, 'shell by its bare name'],
])('%s is refused', (_name, text, message) => {
  verifies('architecture.programs');
  expect(messages(text)).toEqual([expect.stringContaining(message)]);
});

test.each([
  ['this Node', `${SPAWN}spawn(process.execPath, ['a.js'], { env: childVariables(variables) });`],
  ['an absolute path', `${SPAWN}spawn('/usr/bin/sandbox-exec', args, { env: childVariables() });`],
  [
    'what was found',
    `${SPAWN}const program = findProgram('rg');\nif (program !== undefined) spawn(program, { env: childVariables() });`,
  ],
  ['what was required', `${SPAWN}spawn(requireProgram('bwrap', 'It', folder), args, { env: childVariables() });`],
  [
    'types, comments and words',
    "import type { ChildProcess } from 'node:child_process';\n// spawn('git')\nrespawn('git');\nx.spawn('git');",
  ],
])('%s is allowed', (_name, text) => {
  expect(messages(text)).toEqual([]);
});

test('a script in JavaScript and one of the site are read too', () => {
  verifies('architecture.programs');
  for (const at of ['packages/tools/src/a.mjs', 'scripts/site/build.js', 'test/mutation/a.mts'])
    expect(messages(`${SPAWN}spawn('git');`, at)).toEqual([expect.stringContaining("starts 'git'")]);
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
