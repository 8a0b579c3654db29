import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { withProject } from '../lib/ts.ts';
import { rootExports } from '../rules/root-exports.ts';
import { declarations } from './fixture-tree.ts';

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
