import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import {
  copyBytes,
  createAsyncStorage,
  createUtf8Decoder,
  decodeUtf8,
  fromBase64,
  hasAsyncStorage,
  inNextTurn,
  nodeModule,
  sha256,
  sha256Hex,
  toBase64,
} from '../src/index.ts';
import { sha256Of } from '../src/sha256.ts';

/** Runs synchronous work where nothing of Node is there. */
function withoutNode<T>(work: () => T): T {
  for (const name of ['process', 'Buffer', 'setImmediate']) vi.stubGlobal(name, undefined);
  try {
    return work();
  } finally {
    vi.unstubAllGlobals();
  }
}

const TEXTS = ['', 'a', 'Grüße 🌍 \uFEFF', 'x'.repeat(55), 'x'.repeat(56), 'y'.repeat(64), 'z'.repeat(10_000)];

test('SHA-256 is the same with and without the module of Node', () => {
  for (const text of TEXTS) {
    const expected = createHash('sha256').update(text).digest('hex');
    expect([sha256Hex(text), withoutNode(() => sha256Hex(text))]).toEqual([expected, expected]);
    expect(Buffer.from(withoutNode(() => sha256(text))).toString('hex')).toBe(
      Buffer.from(sha256(text)).toString('hex'),
    );
  }
  for (let length = 0; length < 200; length += 1) {
    const bytes = Buffer.alloc(length, 'ab');
    expect(Buffer.from(sha256Of(bytes))).toEqual(createHash('sha256').update(bytes).digest());
  }
});

test('base64 is the same with and without the buffers of Node, URL-safe or with foreign characters', () => {
  for (const text of TEXTS) {
    const bytes = new TextEncoder().encode(text);
    const base64 = toBase64(bytes);
    expect(withoutNode(() => toBase64(bytes))).toBe(base64);
    for (const written of [base64, base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''), `${base64}\n`])
      expect(Array.from(withoutNode(() => fromBase64(written)))).toEqual(Array.from(fromBase64(written)));
    expect([decodeUtf8(bytes), withoutNode(() => decodeUtf8(bytes))]).toEqual([text, text]);
    expect(Array.from(withoutNode(() => copyBytes(bytes)))).toEqual(Array.from(copyBytes(bytes)));
  }
  expect(Array.from(withoutNode(() => fromBase64('a')))).toEqual([]);
});

test('text cut anywhere is the same with and without the decoder of Node', () => {
  const bytes = new TextEncoder().encode('\uFEFFGrüße 🌍');
  const read = (at: number, length = bytes.length): string => {
    const decoder = createUtf8Decoder();
    return decoder.write(bytes.subarray(0, at)) + decoder.write(bytes.subarray(at, length)) + decoder.end();
  };
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(withoutNode(() => read(at))).toBe(read(at));
    expect(read(at)).toBe('\uFEFFGrüße 🌍');
  }
  expect(withoutNode(() => read(3, bytes.length - 1))).toBe(read(3, bytes.length - 1));
});

test('a store holds its value over an await on Node, and until the first one where nothing better is there', async () => {
  const storage = createAsyncStorage<string>();
  expect(await storage.run('a', async () => (await Promise.resolve(), storage.getStore()))).toBe('a');
  const simple = withoutNode(() => createAsyncStorage<string>());
  const inner = simple.run('a', () => [simple.run('b', () => simple.getStore()), simple.getStore()]);
  expect([inner, simple.getStore()]).toEqual([['b', 'a'], undefined]);
  expect(() => simple.run('a', () => JSON.parse('{'))).toThrow(SyntaxError);
  expect(simple.getStore()).toBeUndefined();
  expect([hasAsyncStorage(), withoutNode(hasAsyncStorage)]).toEqual([true, false]);
});

test('the next turn comes with and without setImmediate, and a module of Node is absent without Node', async () => {
  await new Promise<void>((resolve) => inNextTurn(resolve));
  await new Promise<void>((resolve) => withoutNode(() => inNextTurn(resolve)));
  expect([nodeModule('node:crypto') === undefined, withoutNode(() => nodeModule('node:crypto'))]).toEqual([
    false,
    undefined,
  ]);
});
