import { resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { readsOf, testFiles, testInputs } from '../lib/test-inputs.ts';
import { tree } from './fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../..');

/** Programs that tests start, with an environment that the tests make; and this file. */
const PROGRAMS = /\/fixtures?\/|\/conformance-server\.ts$|\/test-inputs\.test\.ts$/;
/** What turbo passes to every task, or what makes no difference to a test. */
const ALWAYS = new Set(['PATH', 'HOME', 'CI', 'MUTANT', 'KERNEL_TEST_KEY', 'NODE_COMPILE_CACHE']);

/** What tests read that does not make them run again when it changes. */
function undeclared(root: string): readonly string[] {
  return testInputs(root).flatMap(({ folder, covers, env }) =>
    testFiles(root, folder).flatMap((file) => {
      const reads = readsOf(root, file);
      const variables = PROGRAMS.test(file) ? [] : reads.env.filter((name) => !env.includes(name) && !ALWAYS.has(name));
      const files = reads.files.filter((path) => !path.startsWith(`${folder}/`) && !covers(path));
      return [...files, ...variables.map((name) => `$${name}`)].map((read) => `${file} reads ${read}`);
    }),
  );
}

describe('the inputs of the test tasks', () => {
  test('cover every file and variable of the environment that a test of this repository names', () => {
    verifies('architecture.testInputs');
    expect(undeclared(repository)).toEqual([]);
  });

  test('leave nothing unnoticed that lies outside of the package', () => {
    verifies('architecture.testInputs');
    const root = tree({
      'turbo.json': JSON.stringify({
        globalDependencies: ['test/setup/**'],
        tasks: { test: { inputs: ['test/**'] }, 'b#test': { inputs: ['test/**', '../../docs/b.md'], env: ['B'] } },
      }),
      'docs/a.md': '',
      'docs/b.md': '',
      'test/setup/one.ts': '',
      'packages/a/package.json': '{"name":"a","devDependencies":{"b":"workspace:^"}}',
      'packages/a/test/a.test.ts': `
        import '../../../test/setup/one.ts';
        import '../../b/src/index.ts';
        import '../../c/src/index.ts';
        readFileSync(new URL('../../../docs/a.md', import.meta.url));
        read(process.env['A']);
        process.env['MINE'] = 'x';
        sharedData('x', 'DATA');`,
      'packages/b/package.json': '{"name":"b"}',
      'packages/b/src/index.ts': '',
      'packages/b/test/b.test.ts': `readFileSync(new URL('../../../docs/b.md', import.meta.url)); read(process.env['B']);`,
      'packages/c/package.json': '{"name":"c"}',
      'packages/c/src/index.ts': '',
    });
    expect(undeclared(root)).toEqual([
      'packages/a/test/a.test.ts reads packages/c/src/index.ts',
      'packages/a/test/a.test.ts reads docs/a.md',
      'packages/a/test/a.test.ts reads $A',
      'packages/a/test/a.test.ts reads $DATA',
    ]);
  });
});
