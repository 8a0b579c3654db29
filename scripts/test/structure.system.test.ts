import { resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { withProject } from '../lib/ts.ts';
import { importCycles } from '../rules/import-cycles.ts';
import { classes } from '../rules/classes.ts';
import { folders } from '../rules/folders.ts';
import { manifests } from '../rules/manifests.ts';
import { codeMap } from '../rules/code-map.ts';
import { rootExports } from '../rules/root-exports.ts';
import { duplicateCode } from '../rules/duplicate-code.ts';
import { tests } from '../rules/tests.ts';
import { declarations } from './fixture-tree.ts';

const repository = resolve(import.meta.dirname, '../..');

test('a root entry with one name too many is refused', () => {
  verifies('architecture.rootExports');
  const names = (count: number) =>
    Array.from({ length: count }, (_, at) => `export declare const n${at}: 1;`).join('\n');
  const manifest = JSON.stringify({ name: '@kernel/tools', exports: { '.': { types: './dist/index.d.ts' } } });
  for (const [count, problems] of [
    [60, 0],
    [61, 1],
  ] as const) {
    const { root, tsconfig } = declarations({
      'packages/tools/package.json': manifest,
      'packages/tools/dist/index.d.ts': names(count),
    });
    expect(withProject(tsconfig, (exportsOf) => rootExports(root, exportsOf))).toHaveLength(problems);
  }
});

test('the sources of this repository keep these rules', () => {
  verifies('architecture.importCycles', 'architecture.duplicateCode', 'architecture.map');
  const rules = [importCycles, folders, classes, duplicateCode, codeMap, tests, manifests];
  expect(rules.flatMap((rule) => rule(repository))).toEqual([]);
});
