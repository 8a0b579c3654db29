import { Readable, Writable } from 'node:stream';
import { asyncResult, type ToolEffect, type ToolResult, toolResult, withError, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/index.ts';
import { context, simple, toolCall } from '../support.ts';

const returning = (value: unknown, effect: ToolEffect = 'read'): Promise<ToolResult> =>
  createRegistry([simple('a', { effect }, () => value)]).execute('a');

class Point {
  x = 1;
  y = 2;
  length(): number {
    return Math.hypot(this.x, this.y);
  }
}

function* numbers(): Generator<number> {
  yield 1;
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

/** A value that throws at the first look at it, made by a handler that has run. */
const UNSEEN: readonly (readonly [string, () => unknown])[] = [
  [
    'a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
  ['a revoked proxy of a function', () => revokedFunction()],
  // oxlint-disable-next-line unicorn/no-thenable -- what the test is about
  ['an object with a bad then', () => Object.defineProperty({}, 'then', { get: throwing })],
  [
    'an iterator with a bad next',
    () => Object.defineProperty({ [Symbol.asyncIterator]: 1 }, 'next', { get: throwing }),
  ],
  [
    'a proxy that nothing can be asked',
    () =>
      new Proxy(
        {},
        {
          has: throwing,
          get: throwing,
          getPrototypeOf: throwing,
          ownKeys: throwing,
          getOwnPropertyDescriptor: throwing,
        },
      ),
  ],
];

function throwing(): never {
  throw new Error('no look');
}

function revokedFunction(): unknown {
  const { proxy, revoke } = Proxy.revocable(() => 1, {});
  revoke();
  return proxy;
}

test.each(UNSEEN)('%s from a handler that ran is no failure, after which it would run again', async (_name, make) => {
  verifies('tools.result.unreadable');
  let runs = 0;
  const run = (effect: ToolEffect): Promise<ToolResult> =>
    createRegistry([simple('pay', { effect }, () => ((runs += 1), make()))]).execute('pay');
  for (const effect of ['external', 'write'] as const) {
    const result = await run(effect);
    expect(result.forLLM).toContain('"pay" ran to its end, but its result cannot be read: ');
    expect([result.isError, result.code, result.data]).toEqual([undefined, undefined, undefined]);
  }
  expect(runs).toBe(2);
  expect(await run('read')).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
});

test.each([
  ['NaN', Number.NaN, 'the number NaN'],
  ['Infinity', -Infinity, 'the number -Infinity'],
  ['a Map', new Map([['a', 1]]), 'a Map'],
  ['a Set', new Set([1]), 'a Set'],
  ['a typed array', new Uint8Array([1, 2]), 'a Uint8Array'],
  ['a Buffer', Buffer.from('a'), 'a Buffer'],
  ['a DataView', new DataView(new ArrayBuffer(2)), 'a DataView'],
  ['an ArrayBuffer', new ArrayBuffer(2), 'an ArrayBuffer'],
  ['a web stream', new ReadableStream(), 'a ReadableStream'],
  ['a stream to read', Readable.from(['a']), 'a Readable'],
  ['a stream to write', new Writable(), 'a Writable'],
  ['a Response', new Response('text'), 'a Response'],
  ['Headers', new Headers({ a: 'b' }), 'a Headers'],
  ['a Blob', new Blob(['text']), 'a Blob'],
  ['a function', () => 1, 'a function'],
  ['a bigint', 5n, 'a bigint'],
  ['a symbol', Symbol('s'), 'a symbol'],
  ['an invalid Date', new Date(Number.NaN), 'an invalid Date'],
  ['a RegExp', /a/, 'a RegExp'],
  ['a generator', numbers(), 'a Generator'],
  ['a promise inside', Promise.resolve(1), 'a Promise'],
  ['an error inside', new Error('lost'), 'an Error'],
  ['an object that contains itself', circle, 'an object that contains itself'],
  ['undefined in a list', [undefined], 'undefined'],
])('%s in a result is told with type and path, never as an empty object or null', async (name, value, text) => {
  verifies('tools.result.lossless', 'tools.result.unreadable');
  const nested = await returning({ ok: 1, list: [{ 'a/b': value }] });
  expect([nested.code, nested.data]).toEqual(['TOOL_FAILED', undefined]);
  expect(nested.forLLM).toContain(`"a" failed: it returned ${text}`);
  expect(nested.forLLM).toContain(' at "/list/0/a~1b');
  expect(nested.forLLM).toContain('which JSON cannot carry: ');
  const own = await returning({ ...toolResult('text'), data: { value } });
  expect([own.code, own.data]).toEqual(['TOOL_FAILED', undefined]);
  // A tool that may have changed something has done so: the model is told that it ran, and no failure, after which it would call it again.
  const ran = await returning({ ok: 1, list: [{ 'a/b': value }] }, 'write');
  expect([ran.isError, ran.code, ran.data]).toEqual([undefined, undefined, undefined]);
  expect(ran.forLLM).toContain(
    `"a" ran to its end, but its result cannot be read: it returned ${text} at "/list/0/a~1b`,
  );
  expect(ran.forLLM).toContain('do not call it again');
  expect((await returning({ ...toolResult('text'), data: { value } }, 'external')).isError).toBeUndefined();
  if (name.endsWith('inside')) return; // a promise is awaited, and an error is the failure itself
  expect((await returning(value)).code).toBe('TOOL_FAILED');
  expect((await returning(value, 'write')).forLLM).toContain('ran to its end');
});

test('a Date, an object with toJSON, a class with fields and undefined members have the meaning that JSON gives them', async () => {
  verifies('tools.result.lossless');
  const value = {
    when: new Date(0),
    url: new URL('http://a.test/'),
    point: new Point(),
    missing: undefined,
    own: { toJSON: () => ({ shown: true }) },
    bare: Object.create(null) as object,
    empty: {},
  };
  const data = {
    when: '1970-01-01T00:00:00.000Z',
    url: 'http://a.test/',
    point: { x: 1, y: 2 },
    own: { shown: true },
    bare: {},
    empty: {},
  };
  expect(await returning(value)).toEqual({ forLLM: JSON.stringify(data), data });
  expect((await returning({ ...toolResult('text'), data: value })).data).toStrictEqual(data);
  const shared = { a: 1 };
  expect((await returning([shared, shared])).data).toEqual([{ a: 1 }, { a: 1 }]);
});

test('a value with a getter or toJSON that throws, or nested without end, is told as one that cannot be read', async () => {
  verifies('tools.result.lossless', 'tools.result.unreadable');
  const fail = (): never => {
    throw new Error('no way');
  };
  const hostile = Object.defineProperty({ forLLM: 'x' }, 'data', { enumerable: true, get: fail });
  expect((await returning(hostile, 'write')).forLLM).toContain('reading it failed: no way');
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  for (const value of [{ toJSON: fail }, Object.defineProperty({}, 'a', { enumerable: true, get: fail }), deep]) {
    // oxlint-disable-next-line no-await-in-loop
    const [read, ran] = [await returning(value), await returning(value, 'write')];
    expect([read.code, ran.isError]).toEqual(['TOOL_FAILED', undefined]);
    expect(ran.forLLM).toMatch(/ran to its end, but its result cannot be read: .*(?:no way|nested too deeply)/);
  }
});

test('a result that says itself that it failed is a failure, whatever its data is', async () => {
  verifies('tools.result.unreadable');
  const result = await returning({ forLLM: 'no money', isError: true, data: new Map() }, 'write');
  expect([result.isError, result.code]).toEqual([true, 'TOOL_FAILED']);
});

test('a late result that cannot be read is delivered as one of a call that ran', async () => {
  verifies('tools.result.unreadable');
  const outcome = Promise.withResolvers<ToolResult>();
  const tool = simple('pay', { effect: 'external' }, (_input, { onComplete }) => {
    setImmediate(() => onComplete?.(new Map() as never));
    return asyncResult('begun');
  });
  await callTool(createRegistry([tool]), toolCall('pay', '{}'), {
    ...context(),
    onComplete: (late) => outcome.resolve(late),
  });
  expect(await outcome.promise).toMatchObject({ forLLM: expect.stringContaining('ran to its end') as string });
  expect((await outcome.promise).isError).toBeUndefined();
});

test('the model is told what was repaired in its arguments, without the values', async () => {
  verifies('tools.execute.repairs.told');
  const properties = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, { type: 'integer' }]));
  const registry = createRegistry([simple('t', { parameters: { type: 'object', properties } }, () => 'ok')]);
  expect((await registry.execute('t', '{"a":"5"}')).forLLM).toBe('ok\n(Repaired arguments: /a string-to-number.)');
  const all = JSON.stringify(Object.fromEntries(Object.keys(properties).map((name) => [name, '1'])));
  expect((await registry.execute('t', all)).forLLM).toContain('/e string-to-number, and 2 more.)');
  expect((await registry.execute('t', JSON.stringify('{"a":5}'))).forLLM).toBe(
    'ok\n(Repaired arguments: / json-text.)',
  );
  expect((await registry.execute('t', '{"a":5}')).forLLM).toBe('ok');
  const report = createRegistry([simple('t', { parameters: { type: 'object', properties } })], { repair: 'report' });
  expect((await report.execute('t', '{"a":"5"}')).forLLM).not.toContain('Repaired');
});

test('a result without text keeps the message of its error beside a note about the arguments', async () => {
  verifies('result.fallback');
  const tool = simple(
    'a',
    { effect: 'read', parameters: { type: 'object', properties: { n: { type: 'integer' } } } },
    () => withError({ forLLM: '' }, new Error('disk is full')),
  );
  const result = await callTool(createRegistry([tool]), toolCall('a', '{"n":"5"}'), context());
  expect(result.forLLM).toBe('disk is full\n(Repaired arguments: /n string-to-number.)');
});
