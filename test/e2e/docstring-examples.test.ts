import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { docstringExamples } from '../../scripts/lib/docstring-examples.ts';
import { tree } from '../../scripts/test/fixture-tree.ts';

const root = resolve(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** What the compiler says of these programs, which import the built packages. */
function faultsOf(programs: ReadonlyMap<string, string>): string {
  const folder = join(root, 'test/e2e/node_modules/.cache', `docstrings-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of programs) writeFileSync(join(folder, name), `${text}\nexport {};\n`);
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true, customConditions: [], paths: {} },
    files: [...programs.keys()],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--singleThreaded', '--pretty', 'false'], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return stdout;
}

test('every example in a docstring compiles', () => {
  verifies('docs.examples');
  const examples = docstringExamples(root);
  expect(examples.length).toBeGreaterThan(45);
  const programs = examples.map(({ file, line, text }): [string, string] => [
    `${file.replaceAll('/', '-').slice(0, -3)}-${line}.ts`,
    text,
  ]);
  expect(new Map(programs).size).toBe(examples.length);
  expect(faultsOf(new Map(programs))).toBe('');
});

test('an example that does not compile is noticed', () => {
  verifies('docs.examples');
  const sources = tree({
    'packages/a/src/a.ts':
      "/**\n * Does a.\n *\n * @example\n * ```ts\n * import { createRegistry } from '@kernel/tools';\n *\n * createRegistry(1);\n * ```\n */\nexport const a = 1;\n",
  });
  const [example] = docstringExamples(sources);
  expect(example).toMatchObject({ file: 'packages/a/src/a.ts', line: 6 });
  expect(faultsOf(new Map([['a.ts', example?.text ?? '']]))).toContain('a.ts(3,16): error TS2345');
});
