// What a call costs beside one written by hand is measured in bench (registry: one call); here, that nothing is slower by an order of magnitude.
import { compileSchema } from '@kernel/schema';
import { expect, test } from 'vitest';
import { bindTool, createRegistry, type ToolRegistry } from '../../src/index.ts';
import { costRatio } from '../support.ts';

const parameters = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { enum: ['read', 'write', 'list'] },
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
    filter: {
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string' } } },
      required: ['tags'],
      additionalProperties: false,
    },
  },
  required: ['path', 'mode'],
  additionalProperties: false,
};
const text = JSON.stringify({ path: 'src/index.ts', mode: 'read', limit: 20, filter: { tags: ['a', 'b', 'c'] } });
const handler = async (): Promise<string> => 'ok';

test('compiling a schema costs at most as much as parsing arguments three hundred times, a check as much as three times', async () => {
  const validator = compileSchema(parameters);
  const value: unknown = JSON.parse(text);
  expect(validator.test(value)).toBe(true);
  const times = (count: number, work: () => unknown) => (): void => {
    for (let done = 0; done < count; done += 1) work();
  };
  const parse = (): unknown => JSON.parse(text);
  const check = await costRatio(
    times(10_000, () => validator.test(value)),
    times(10_000, parse),
    3,
  );
  const compile = await costRatio(
    times(100, () => compileSchema(parameters)),
    times(10_000, parse),
    3,
  );
  expect(check).toBeLessThan(3);
  expect(compile).toBeLessThan(3);
});

test('an unknown name among ten thousand tools costs at most fifteen times as much as lower-casing all names', async () => {
  const bindings = Array.from({ length: 10_000 }, (_, index) =>
    bindTool({ name: `tool_${index}`, description: 'd', parameters: { type: 'object' } }, handler),
  );
  const registry: ToolRegistry = createRegistry(bindings);
  const names = registry.names();
  let count = 0;
  const callUnknown = async (): Promise<void> => {
    count += 1;
    expect((await registry.execute(`nowhere_${count}`)).code).toBe('TOOL_NOT_FOUND');
  };
  const lowerCase = (): void => {
    if (names.filter((name) => name.toLowerCase().includes('nowhere')).length > 0) throw new Error('found');
  };
  const ratio = await costRatio(callUnknown, lowerCase, 15);
  expect(ratio).toBeLessThan(15);
});
