import { KernelError, type ToolEffect, type ToolResult, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type BindingOptions, type RegistryOptions, createRegistry } from '../../src/index.ts';
import { context, simple, toolCall } from '../support.ts';

const parameters = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    amount: { type: 'number' },
    to: { type: 'object', properties: { name: { type: 'string' }, tags: { type: 'array' } } },
  },
};

/** Runs a call of a tool with an effect, and returns its result and the inputs that its handler got. */
async function run(
  effect: ToolEffect | undefined,
  args: string,
  options: BindingOptions = {},
  registryOptions: RegistryOptions = {},
): Promise<{ readonly result: ToolResult; readonly inputs: readonly unknown[] }> {
  const inputs: unknown[] = [];
  const tool = simple(
    'send',
    effect === undefined ? { parameters } : { parameters, effect },
    (input) => void inputs.push(input),
    options,
  );
  return { result: await callTool(createRegistry([tool], registryOptions), toolCall('send', args), context()), inputs };
}

const CAREFUL = ['write', 'external', undefined] as const;
const REPEATABLE = ['read', 'idempotent'] as const;

test.each(CAREFUL)(
  'an undeclared argument of a tool with the effect %s is refused by name and never dropped',
  async (effect) => {
    verifies('tools.execute.extra.refused');
    const { result, inputs } = await run(effect, '{"path":"a","dryRun":true}');
    expect([result.code, inputs]).toEqual(['ARGUMENTS_INVALID', []]);
    expect(result.forLLM).toBe(
      'ARGUMENTS_INVALID: "send" refused its arguments. /: no property "dryRun" (only: "path", "amount", "to").',
    );
    const nested = await run(effect, '{"to":{"name":"a","urgent":true}}');
    expect(nested.result.forLLM).toContain('/to: no property "urgent" (only: "name", "tags")');
  },
);

test.each(REPEATABLE)(
  'an undeclared argument of a tool with the effect %s is left out, and the model is told',
  async (effect) => {
    verifies('tools.execute.extra.refused');
    const { result, inputs } = await run(effect, '{"path":"a","dryRun":true}');
    expect(inputs).toEqual([{ path: 'a' }]);
    expect(result.forLLM).toContain('/dryRun was left out');
  },
);

test('the policy that the author of a tool or registry chose counts for every effect', async () => {
  verifies('tools.execute.extra.refused');
  const args = '{"path":"a","dryRun":true}';
  expect((await run('write', args, { unknownProperties: 'strip' })).inputs).toEqual([{ path: 'a' }]);
  expect((await run('write', args, {}, { unknownProperties: 'strip' })).inputs).toEqual([{ path: 'a' }]);
  expect((await run('write', args, { unknownProperties: 'passthrough' })).inputs).toEqual([
    { path: 'a', dryRun: true },
  ]);
  expect((await run('read', args, {}, { unknownProperties: 'reject' })).result.code).toBe('ARGUMENTS_INVALID');
});

test('an undeclared argument and what else is wrong are reported at once', async () => {
  verifies('tools.execute.extra.refused', 'tools.execute.schema');
  const { result } = await run('write', '{"path":5,"amount":"7","dryRun":true}');
  expect(result.forLLM).toContain('no property "dryRun"');
  expect(result.forLLM).toContain('/path: expected string, got 5');
  expect(result.forLLM).not.toContain('/amount');
});

test.each([
  ['{"path":"a","path":"b"}', 'path', '/path'],
  ['{"path":"a","p\\u0061th":"a"}', 'path', '/path'],
  ['{"to":{"name":"a","tags":[1,{"x/y":1,"z":{},"x/y":2}]}}', 'x/y', '/to/tags/1/x~1y'],
  ['{"to":{"name":"a \\\\\\"{","name":"b"}}', 'name', '/to/name'],
  ['{"__proto__":1,"__proto__":2}', '__proto__', '/__proto__'],
  [JSON.stringify('{"path":"a","path":"b"}'), 'path', '/path'],
])(
  'the key that %s has twice is refused for tools that change something, with its pointer',
  async (args, key, path) => {
    verifies('tools.call.duplicateKeys');
    for (const effect of CAREFUL) {
      // oxlint-disable-next-line no-await-in-loop
      const { result, inputs } = await run(effect, args, { unknownProperties: 'passthrough' });
      expect([result.code, inputs]).toEqual(['ARGUMENTS_INVALID', []]);
      expect(result.forLLM).toContain(`the key "${key}" is there twice, at "${path}". Send each key once.`);
      expect(KernelError.is(result.error) && result.error.data).toEqual({ tool: 'send', path, key });
    }
  },
);

test('the same key in different objects is no duplicate, and a tool that only reads gets the last one', async () => {
  verifies('tools.call.duplicateKeys');
  const nested = '{"path":"path","to":{"tags":[{"path":"a","name":1},{"path":"b","name":"name"}]},"amount":1}';
  expect((await run('write', nested)).inputs).toEqual([JSON.parse(nested)]);
  for (const effect of REPEATABLE) {
    // oxlint-disable-next-line no-await-in-loop
    expect((await run(effect, '{"path":"a","path":"b"}')).inputs).toEqual([{ path: 'b' }]);
  }
});

test('JSON text in place of an object is not read if that would lose a key or a digit', async () => {
  verifies('tools.call.duplicateKeys', 'tools.execute.exact');
  for (const text of ['{"name":"a","name":"b"}', '{"name":"a","tags":[9007199254740993]}']) {
    // oxlint-disable-next-line no-await-in-loop
    const { result, inputs } = await run('read', JSON.stringify({ to: text }));
    expect([result.code, inputs]).toEqual(['ARGUMENTS_INVALID', []]);
  }
});

test('a duplicate key in deeply nested arguments is refused in a short message', async () => {
  verifies('tools.call.duplicateKeys');
  const deep = `{"to":{"tags":${'['.repeat(2_000)}{"a":1,"a":2}${']'.repeat(2_000)}}}`;
  expect((await run('write', deep)).result.forLLM.length).toBeLessThan(400);
});

test.each([
  ['9007199254740993', '/amount'],
  ['-9007199254740993', '/amount'],
  ['12345678901234567890', '/amount'],
  ['9007199254740993.0', '/amount'],
  ['9.007199254740993e15', '/amount'],
  ['1e400', '/amount'],
  ['1e-400', '/amount'],
  ['-0.5E-999', '/amount'],
])('the number %s in JSON text is refused with its pointer, never rounded', async (number, path) => {
  verifies('tools.execute.exact');
  for (const effect of ['read', 'write'] as const) {
    // oxlint-disable-next-line no-await-in-loop
    const { result, inputs } = await run(effect, `{"path":"${number}","amount":${number}}`);
    expect([result.code, inputs]).toEqual(['ARGUMENTS_INVALID', []]);
    expect(result.forLLM).toContain(`the number ${number} at "${path}" would be rounded`);
    expect(result.forLLM.length).toBeLessThanOrEqual(300);
  }
});

test.each([
  '9007199254740991',
  '-9007199254740991',
  '6.02214076e23',
  '1e21',
  '0.1',
  '0',
  '0e-7',
  '-0.000',
  '3.14159265358979323846',
  '1e-7',
])('the number %s in JSON text is what the handler gets', async (number) => {
  verifies('tools.execute.exact');
  expect((await run('write', `{"amount":${number}}`)).inputs).toEqual([{ amount: Number(number) }]);
});

test.each([
  '9007199254740990.9',
  '0.99999999999999999999',
  '1e-400',
  '1e400',
  '9007199254740993',
  '0.1234567890123456789',
])('the text %s is not converted to a number, because it is not that number exactly', async (text) => {
  verifies('tools.execute.exact', 'tools.execute.coerce');
  const { result, inputs } = await run('read', `{"amount":"${text}"}`);
  expect([result.code, inputs]).toEqual(['ARGUMENTS_INVALID', []]);
});

test.each(['9007199254740991', '-12', '0.1', '1.50', '1e3', '5.0', '2251799813685248.5', '2.5e-3'])(
  'the text %s is converted to the number that it spells',
  async (text) => {
    verifies('tools.execute.exact', 'tools.execute.coerce');
    expect((await run('read', `{"amount":"${text}"}`)).inputs).toEqual([{ amount: Number(text) }]);
  },
);
