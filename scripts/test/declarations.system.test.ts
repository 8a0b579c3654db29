import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { withProject } from '../lib/ts.ts';
import { api, writeApi } from '../rules/api.ts';
import { oneTool } from '../rules/one-tool.ts';
import { declarations } from './fixture-tree.ts';

const tool =
  'export interface Tool { readonly name: string; readonly description: string; readonly parameters: object }';
const protocol = { 'packages/protocol/dist/tool.d.ts': tool };

test.each([
  ['an interface', 'export interface ToolDefinition { name: string; description: string; inputSchema: object }'],
  ['a type literal', 'export type AgentTool = { name: string; description: string; parameters: object }'],
  [
    'a member of a union',
    'export type Item = { name: string; description?: string; input_schema: object } | { id: string }',
  ],
  [
    'an extension',
    "import type { Tool } from '../../../protocol/dist/tool.js';\nexport interface RunnableTool extends Tool { run(): void }",
  ],
  ['a class', 'export declare class Toolbox { name: string; description: string; schema: object }'],
])('a second exported type that describes a tool is refused: %s', (_name, text) => {
  verifies('tool.single');
  const { root, tsconfig } = declarations({ ...protocol, 'packages/agent/dist/inner/a.d.ts': text });
  const problems = withProject(tsconfig, (exportsOf) => oneTool(root, exportsOf));
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toContain('second exported type');
});

test('one Tool, its aliases and re-exports, and shapes with other members are allowed', () => {
  const { root, tsconfig } = declarations({
    ...protocol,
    'packages/protocol/dist/index.d.ts': "export type { Tool } from './tool.js';",
    'packages/tools/dist/a.d.ts': 'export interface Bundle { name: string; description: string; required: string[] }',
  });
  expect(withProject(tsconfig, (exportsOf) => oneTool(root, exportsOf))).toEqual([]);
});

test('a tree without Tool is refused: the rule cannot pass on nothing', () => {
  const { root, tsconfig } = declarations({ 'packages/tools/dist/a.d.ts': 'export {};' });
  expect(withProject(tsconfig, (exportsOf) => oneTool(root, exportsOf))).toHaveLength(1);
});

test('a changed signature or name shows as a difference from the committed api.txt', () => {
  const { root, tsconfig } = declarations({
    'packages/a/package.json': JSON.stringify({ name: 'a', exports: { '.': { types: './dist/index.d.ts' } } }),
    'packages/a/dist/index.d.ts': '/** Doc. */\nexport declare function f(x: string): void;',
  });
  withProject(tsconfig, (exportsOf) => {
    expect(api(root, exportsOf)).toHaveLength(1);
    writeApi(root, exportsOf);
    expect(api(root, exportsOf)).toEqual([]);
  });
  writeFileSync(join(root, 'packages/a/dist/index.d.ts'), 'export declare function f(x: string, y?: number): void;');
  const problems = withProject(tsconfig, (exportsOf) => api(root, exportsOf));
  expect(problems).toEqual([expect.objectContaining({ rule: 'api', file: 'packages/a/api.txt', line: 4 })]);
});

test('the api.txt of a package whose build is broken is not written', () => {
  const { root, tsconfig } = declarations({
    'packages/a/package.json': JSON.stringify({ name: 'a', exports: { '.': { types: './dist/index.d.ts' } } }),
    'packages/a/dist/index.d.ts': "export * from './gone.js';",
    'packages/a/api.txt': '# .\n\n## f\n',
  });
  withProject(tsconfig, (exportsOf) => {
    expect(() => writeApi(root, exportsOf)).toThrow('it is not built, or not wholly. Run: pnpm build');
  });
});
