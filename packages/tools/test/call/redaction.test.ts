import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry, type RegistryOptions } from '../../src/index.ts';
import { context, simple, toolCall } from '../support.ts';

const KEY = 'Qx7-fT9pLz2vRk8wHn4cYd6mJb1s';
const VENDOR_KEY = `sk-ant-api03-${'a1B2'.repeat(12)}`;

/** The longest part of a key that is in a text. */
function longestPart(text: string, key: string): number {
  for (let length = key.length; length > 0; length -= 1)
    for (let at = 0; at + length <= key.length; at += 1) if (text.includes(key.slice(at, at + length))) return length;
  return 0;
}

async function seen(handler: () => unknown, options: RegistryOptions = {}): Promise<string> {
  const registry = createRegistry([simple('leak', {}, handler)], { detail: true, ...options });
  const events: unknown[] = [];
  registry.onEvent((event) => events.push(event));
  const { error: _error, ...result } = await callTool(registry, toolCall('leak', { key: VENDOR_KEY }), context());
  return JSON.stringify([result, events]);
}

const ESCAPED = Array.from(KEY, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

test.each([
  ['plainly', KEY],
  ['with every character as \\u', ESCAPED],
  ['with one character as \\u', `${ESCAPED.slice(0, 6)}${KEY.slice(1)}`],
  ['with every character as %XX', Array.from(KEY, (char) => `%${char.charCodeAt(0).toString(16)}`).join('')],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ key: ESCAPED }))],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in base64 after one character', Buffer.from(`:${KEY}`).toString('base64')],
  ['in base64 after two, for URLs', Buffer.from(`a:${KEY}?>`).toString('base64url')],
])('a secret spelled %s is taken out of a result and of an error', async (_name, spelling) => {
  verifies('secrets.spellings');
  const options = { secrets: [KEY] };
  // What is seen is JSON: a backslash of the spelling is two in it.
  const quoted = JSON.stringify(spelling).slice(1, -1);
  for (const handler of [() => `<${spelling}>`, () => Promise.reject(new Error(`<${spelling}>`))]) {
    const text = await seen(handler, options); // oxlint-disable-line no-await-in-loop
    expect(text).toContain('[redacted]');
    expect(longestPart(text, quoted)).toBeLessThan(20);
    expect(longestPart(text, KEY)).toBeLessThanOrEqual(8);
  }
});

test.each([0, 20, 40, 60, 100])('a result is redacted before it is shortened to %i characters', async (resultLimit) => {
  verifies('secrets.fragments');
  for (let before = 0; before < 60; before += 1) {
    const text = await seen(() => `${'.'.repeat(before)}${KEY}${'.'.repeat(200)}`, { secrets: [KEY], resultLimit });
    expect(longestPart(text, KEY)).toBeLessThanOrEqual(8);
  }
});

test.each([
  ['text', () => `the key is ${VENDOR_KEY}`],
  ['data', () => ({ deep: [{ key: VENDOR_KEY }] })],
  ['an error', () => Promise.reject(new Error(`wrong key ${VENDOR_KEY}`))],
  ['an error that is cut in the key', () => Promise.reject(new Error(`${'x '.repeat(992)}${VENDOR_KEY}`))],
  ['an error of a result', () => ({ forLLM: '', isError: true, error: new Error(VENDOR_KEY) })],
])('the key of a vendor that nobody named is taken out of %s and of the events', async (_name, handler) => {
  verifies('secrets.vendorKeys');
  expect(longestPart(await seen(handler), VENDOR_KEY.slice(13))).toBeLessThanOrEqual(8);
});

test.each([500, 3_000, 50_000])('a result nested %i deep with secrets settles the call, redacted', async (depth) => {
  verifies('secrets.deep', 'tools.call.neverRejects');
  let deep: unknown = KEY;
  for (let level = 0; level < depth; level += 1) deep = [deep];
  const registry = createRegistry([simple('deep', {}, () => Promise.resolve(deep))], { secrets: [KEY] });
  const result = await callTool(registry, toolCall('deep'), context());
  expect(result.forLLM).toMatch(depth === 500 ? /^\[{500}"\[redacted\]"/ : /^\[{5}|nested too deeply/);
  expect(result.forLLM).not.toContain(KEY);
  expect(JSON.stringify(result.data ?? null)).not.toContain(KEY);
});
