import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { bindTool, createRegistry, defineTool, searchTool } from '../../src/index.ts';
import { caught, simple } from '../support.ts';

const tool = { name: 'a', description: '', parameters: { type: 'object' } };
const definition = { name: 'a', description: '', input: z.object({}), handler: () => 'ok' };
const registry = createRegistry([simple('a')]);
const without = (key: keyof typeof definition): object =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => name !== key));

test.each<readonly [string, () => unknown, string, string]>([
  ['createRegistry', () => createRegistry([], { timeoutMS: 5 } as never), 'timeoutMS', 'Did you mean "timeoutMs"?'],
  ['createRegistry', () => createRegistry([], { maxSteps: 5 } as never), 'maxSteps', 'The options are'],
  ['defineTool', () => defineTool({ ...without('handler'), execute: () => 1 } as never), 'execute', 'The options are'],
  ['defineTool', () => defineTool({ ...without('input'), parameters: {} } as never), 'parameters', 'The options are'],
  ['defineTool', () => defineTool({ ...definition, efect: 'read' } as never), 'efect', 'Did you mean "effect"?'],
  ['bindTool', () => bindTool({ ...tool, timeoutMs: 5 } as never, () => 1), 'timeoutMs', 'The options are'],
  ['Tool "a"', () => bindTool(tool, () => 1, { retrys: 5 } as never), 'retrys', 'Did you mean "retries"?'],
  ['Tool "a", concurrency', () => bindTool(tool, () => 1, { concurrency: { limit: 1 } } as never), 'limit', 'max, key'],
  ['view', () => registry.view({ names: ['a'] } as never), 'names', 'include, exclude'],
  ['view', () => registry.view({ catgory: 'code' } as never), 'catgory', '"category"'],
])('%s refuses an unknown key with the name that was meant', (subject, work, key, hint) => {
  verifies('tools.options.unknown');
  const error = caught(work);
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(subject);
  expect(error.message).toContain(`there is no option "${key}"`);
  expect(error.hint).toContain(hint);
  expect(registry.names()).toEqual(['a']);
});

test('execute refuses an unknown option with a result, runs nothing, and takes options that are undefined', async () => {
  verifies('tools.options.unknown');
  let ran = 0;
  const own = createRegistry([simple('a', {}, () => (ran += 1))]);
  const result = await own.execute('a', {}, { abortSignal: AbortSignal.abort() } as never);
  expect([result.code, ran]).toEqual(['CONFIG_INVALID', 0]);
  expect(result.forLLM).toContain('there is no option "abortSignal". ');
  expect((await own.execute('a', {}, 5 as never)).code).toBe('CONFIG_INVALID');
  expect((await own.execute('a', {}, { signal: undefined, timeout: undefined } as never)).forLLM).toBe('1');
});

test.each<readonly [string, () => unknown, string]>([
  ['an object of tools', () => createRegistry({ a: simple('a') } as never), 'createRegistry([tool], { … })'],
  ['one binding', () => createRegistry(simple('a') as never), 'createRegistry([tool])'],
  ['a text', () => createRegistry('a' as never), 'createRegistry([tool], { … })'],
  ['a Tool in place of a binding', () => createRegistry([tool as never]), 'bindTool(tool, handler)'],
  [
    'a tool of another library',
    () => createRegistry([{ execute: () => 1, parameters: {} } as never]),
    'defineTool({ name',
  ],
  ['one binding for a list', () => registry.registerAll(simple('b') as never), 'registerAll([tool])'],
  ['a list for one binding', () => registry.register([simple('b')] as never), 'registerAll([…])'],
  ['a list as the options', () => createRegistry([], [] as never), 'Pass an object with any of timeoutMs'],
  ['a list as the filter', () => registry.view(['a'] as never), 'Pass an object with any of include'],
])('%s is refused, and the error says what to pass', (_, work, hint) => {
  verifies('tools.options.shape');
  const error = caught(work);
  expect([error.code, error.hint]).toEqual(['CONFIG_INVALID', expect.stringContaining(hint)]);
});

test('one name in place of a list of names, and a search without a registry, are refused', () => {
  verifies('tools.options.shape');
  expect(caught(() => registry.view({ include: 'a' })).message).toContain('include must be an array of names, not "a"');
  expect(caught(() => searchTool(undefined as never)).code).toBe('CONFIG_INVALID');
});
