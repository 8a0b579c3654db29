import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { programs } from '../rules/programs.ts';
import { tree } from './fixture-tree.ts';

const messages = (text: string) => programs(tree({ 'packages/tools/src/a.ts': text })).map(({ message }) => message);
const SPAWN = "import { spawn } from 'node:child_process';\n";
const OURS = '{ env: childVariables({}) }';

test.each([
  ['a bare name', `${SPAWN}spawn('git', [], ${OURS});`, 'else than programPath'],
  [
    'what was found, or a bare name',
    `${SPAWN}spawn(findProgram('git') ?? 'git', [], ${OURS});`,
    'else than programPath',
  ],
  ['a name beside a path', `${SPAWN}spawn(isOk ? programPath(git) : 'git', [], ${OURS});`, 'else than programPath'],
  ['a starter that is passed on', `${SPAWN}start(spawn);`, 'else than programPath'],
  ['another environment', `${SPAWN}spawn(programPath(git), [], { env: process.env });`, 'another environment'],
  ['no environment', `${SPAWN}spawn(programPath(git), []);`, 'another environment'],
  ['a shell', "import { exec } from 'node:child_process';\nexec('git');", 'imports "exec"'],
  ['a starter under another name', "import { spawn as start } from 'node:child_process';", 'imports "spawn as start"'],
  ['the whole module', "import * as all from 'node:child_process';", 'imports "* as all"'],
  ['several lines', "import {\n  spawn,\n} from 'node:child_process';", 'on one line'],
  ['a module that is loaded late', "await import('node:child_process');", "doesn't read"],
  ['a module of Node', "process.getBuiltinModule('node:child_process').exec('x');", "doesn't read"],
  ['a package that starts programs', "import { execa } from 'execa';", "doesn't read"],
  ["Deno's way", "new Deno.Command('git');", "doesn't read"],
])('%s is refused', (_, text, message) => {
  verifies('architecture.programs');
  expect(messages(text)).toEqual([expect.stringContaining(message)]);
});

test('a path and the variables of children are accepted, and types are', () => {
  verifies('architecture.programs');
  expect(
    messages(`${SPAWN}const child = spawn(programPath(command.program), args, {\n  env: childVariables(all),\n});`),
  ).toEqual([]);
  expect(messages("import type { ChildProcess } from 'node:child_process';")).toEqual([]);
  expect(messages("import { type ChildProcess, execFile } from 'node:child_process';\n")).toEqual([]);
});
