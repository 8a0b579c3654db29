import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { tests } from '../rules/tests.ts';
import { tree } from './fixture-tree.ts';

const messages = (files: Readonly<Record<string, string>>) => tests(tree(files)).map(({ message }) => message);

test.each([
  ['mocks a module', "vi.mock('../src/a.ts');"],
  ['is skipped', "test.skip('x', () => {});"],
  ['runs alone', "describe.only('x', () => {});"],
  ['is tried again', "test('x', { retry: 2 }, () => {});"],
])('a test that %s is refused', (_name, text) => {
  expect(messages({ 'packages/tools/test/a.test.ts': text })).toHaveLength(1);
});

test('a wait that a busy machine may not live to see is refused: one of a second, which is what it is without a timeout', () => {
  const refused = [
    'await vi.waitFor(() => expect(a).toBe(1));',
    'await vi.waitFor(() => expect(a).toBe(1), { interval: 1 });',
    'await vi.waitUntil(() => a, 20_000);',
    'const SHORT = 1000;\nawait vi.waitUntil(() => a, { timeout: SHORT });',
  ];
  const allowed = [
    'await vi.waitFor(() => expect(a).toBe(1), 60_000);',
    'await vi.waitUntil(() => a, { interval: 1, timeout: 60_000 });',
    'const LONG = { timeout: 60_000 };\nawait vi.waitUntil(() => a, LONG);',
    'await waitFor(renewed);',
  ];
  const counts = [...refused, ...allowed].map((text) => messages({ 'packages/tools/test/a.ts': text }).length);
  expect(counts).toEqual([...refused.map(() => 1), ...allowed.map(() => 0)]);
});

test('a hook is refused in a helper that registers it while it is imported, and nowhere else', () => {
  verifies('architecture.cleanUp');
  const from = (names: string): string => `import { ${names} } from 'vitest';\n`;
  const hook = `${from('afterAll')}afterAll(() => {});\n`;
  const refused = [
    hook,
    `${from('afterEach')}  afterEach(() => {});`,
    `${from('afterAll')}export const y = 1; afterAll(() => {});`,
    `${from('beforeAll')}if (y) beforeAll(() => {});`,
    `${from('afterEach as after')}after(() => {});`,
    `${from('aroundEach')}aroundEach(() => {});`,
    "import * as vitest from 'vitest';\nvitest.afterEach(() => {});",
    `${from('onTestFinished')}onTestFinished(() => {});`,
  ];
  expect(refused.filter((text) => messages({ 'packages/tools/test/support.ts': text }).length !== 1)).toEqual([]);
  for (const helper of ['test/restate/support.ts', 'packages/testing/src/a.ts', 'scripts/test/a.ts', 'bench/test/a.ts'])
    expect(messages({ [helper]: hook })).toHaveLength(1);
  const inFunction = `${from('afterAll')}export function useServer(): void {\n  if (y) afterAll(() => {});\n}\nexport const f = () => afterAll(() => {});\n`;
  expect(messages({ 'packages/tools/test/support.ts': inFunction, 'packages/tools/test/a.test.ts': hook })).toEqual([]);
});
