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
const { signal } = new AbortController();
const CALLS = 5_000;

interface HandWritten {
  readonly test: (value: unknown) => boolean;
  readonly handler: (input: unknown, context: object) => unknown;
}

const handler = async (): Promise<string> => 'ok';

/** The least that a call can be: a map, `JSON.parse`, a compiled validator, the handler. */
async function callByHand(table: ReadonlyMap<string, HandWritten>): Promise<void> {
  for (let count = 0; count < CALLS; count += 1) {
    const entry = table.get('t');
    const input: unknown = JSON.parse(text);
    if (entry?.test(input) !== true) throw new Error('rejected');
    // oxlint-disable-next-line no-await-in-loop
    if ((await entry.handler(input, { signal })) !== 'ok') throw new Error('wrong');
  }
}

async function callRegistry(registry: ReturnType<typeof createRegistry>): Promise<void> {
  for (let count = 0; count < CALLS; count += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const result = await registry.call({ type: 'tool-call', id: 'x', name: 't', arguments: text }, { signal });
    if (result.forLLM !== 'ok') throw new Error('wrong');
  }
}

test(
  'lookup, parsing, validation and a no-op handler cost at most two and three quarter times a hand-written call',
  { timeout: 240_000 },
  async () => {
    const validator = compileSchema(parameters);
    const table = new Map([['t', { test: (value: unknown) => validator.test(value), handler }]]);
    const registry = createRegistry([bindTool({ name: 't', description: 'd', parameters }, handler)]);
    const ratio = (rounds: number): Promise<number> =>
      costRatio(
        () => callRegistry(registry),
        () => callByHand(table),
        rounds,
      );
    await ratio(5); // until the code is compiled
    expect(await ratio(31)).toBeLessThanOrEqual(2.75);
  },
);

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
  );
  const compile = await costRatio(
    times(100, () => compileSchema(parameters)),
    times(10_000, parse),
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
  const ratio = await costRatio(callUnknown, lowerCase, 100);
  expect(ratio).toBeLessThan(15);
});
