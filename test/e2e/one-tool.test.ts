import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { withProject } from '../../scripts/lib/ts.ts';
import { oneTool } from '../../scripts/rules/one-tool.ts';

test('Tool is the only exported type in all built declarations that has a name, a description and a parameter schema', () => {
  verifies('tool.single');
  const root = resolve(import.meta.dirname, '../..');
  const tsconfig = join(root, 'scripts/tsconfig.declarations.json');
  expect(withProject(tsconfig, (exportsOf) => oneTool(root, exportsOf))).toEqual([]);
});
