/**
 * Runs Stryker on one package: `pnpm mutate <package> [sources] [tests]`, globs in its `src` and `test`, such as
 * `pnpm mutate tools 'call/*.ts' 'call/*.test.ts'`. Fewer tests take less time and kill fewer mutants.
 * With `EVERY=8` in the environment only every eighth line of the sources is changed, the same lines each time: a sample for folders whose
 * whole run takes hours. Mutants of several lines are not in it.
 * The first run installs Stryker into this folder, outside of the workspace. Reports the score and every survivor; the sources are
 * changed in a copy.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { systemProgram } from '../../scripts/lib/system-program.ts';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const [name, sources = '**/*.ts', tests = '**/*.test.ts'] = process.argv.slice(2);
const folder = `packages/${name}`;
if (name === undefined || !existsSync(join(root, folder, 'src'))) {
  console.error(`Usage: pnpm mutate <package> [sources] [tests]. There is no ${folder}/src.`);
  process.exit(2);
}

const stryker = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');
if (!existsSync(stryker))
  spawnSync(systemProgram('npm'), ['ci', '--prefix', import.meta.dirname, '--legacy-peer-deps'], { stdio: 'inherit' });

const cache = join(import.meta.dirname, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
/** The sources: the glob, or, for a sample, single lines of its files. */
function mutated(): readonly string[] {
  const every = Number(process.env['EVERY'] ?? 1);
  if (every === 1) return [`${folder}/src/${sources}`];
  const files = globSync(`${folder}/src/${sources}`, { cwd: root }).toSorted();
  return files.flatMap((file) => {
    const { length } = readFileSync(join(root, file), 'utf8').split('\n');
    const numbers = Array.from({ length: Math.floor(length / every) }, (_, index) => (index + 1) * every);
    return numbers.map((line) => `${file}:${line}-${line}`);
  });
}

const options = {
  packageManager: 'npm',
  plugins: [join(import.meta.dirname, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: [...mutated(), `!${folder}/src/**/index.ts`],
  ignorePatterns: ['dist', 'bench', 'test/llama-grammar', '.turbo', 'test/mutation/node_modules'],
  // Stryker reads this file with an API that TypeScript 7 does not have; nothing is type-checked here.
  tsconfigFile: 'no-tsconfig.json',
  disableTypeChecks: false,
  // A constant of a module is evaluated once for all tests, so its mutants would need a process each.
  ignoreStatic: true,
  // A machine that is busy must not pass for a mutant that never ends.
  timeoutMS: 20_000,
  concurrency: Number(process.env['CONCURRENCY'] ?? 1),
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: join(cache, `${name}.json`) },
  tempDirName: join(cache, 'stryker'),
  allowEmpty: false,
};
const config = join(cache, `${name}.config.json`);
writeFileSync(config, JSON.stringify(options));
const { status } = spawnSync(process.execPath, [stryker, 'run', config], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, MUTATION_TESTS: `${folder}/test/${tests}` },
});
process.exitCode = status ?? 1;
