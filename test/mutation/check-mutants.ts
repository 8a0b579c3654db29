/**
 * Puts in each mutant of the list, one at a time, and runs the tests that must notice it: `node test/mutation/check-mutants.ts [part of a name]`.
 * Exits 1 if one survives, if its text is not in its file exactly once, or if its tests fail without it. The tree is not changed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const root = join(import.meta.dirname, '../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

/** Whether the tests of these mutants pass; with `mutant`, while it is put in. */
function pass(tests: readonly string[], mutant?: Mutant): boolean {
  const config = ['--root', root, '--config', join(import.meta.dirname, 'vitest.config.ts')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', ...config, '--bail=1', ...tests], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      ...(mutant === undefined ? {} : { MUTANT: JSON.stringify({ ...mutant, file: join(root, mutant.file) }) }),
    },
  });
  // A run without a single test proves nothing.
  if (!/Tests +/.test(stdout)) throw new Error(`No test ran in ${tests.join(', ')}:\n${stdout}${stderr}`);
  return status === 0;
}

const part = process.argv[2] ?? '';
const mutants = MUTANTS.filter(({ name, file }) => name.includes(part) || file.includes(part));
if (mutants.length === 0) throw new Error(`No mutant has "${part}" in its name or file.`);
const problems: string[] = [];

const all = [...new Set(mutants.flatMap(({ tests }) => tests))];
if (!pass(all)) problems.push(`The tests fail without any mutant: ${all.join(', ')}`);
for (const mutant of mutants) {
  const { name, file, find, tests } = mutant;
  const count = find === '' ? 1 : readFileSync(join(root, file), 'utf8').split(find).length - 1;
  if (count !== 1) problems.push(`${name}: ${JSON.stringify(find)} is ${count} times in ${file}.`);
  else if (pass(tests, mutant)) problems.push(`${name}: survived ${tests.join(', ')}.`);
  else console.log(`killed: ${name}`);
}
for (const problem of problems) console.log(`FAILED: ${problem}`);
console.log(`${mutants.length} mutants, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
