import { expect, test } from 'vitest';
import { sliceHead, sliceTail, toJsonText, truncate, wellFormed, wellFormedJson } from '../src/index.ts';

test('half of a surrogate pair in JSON text becomes U+FFFD, raw or escaped, and everything else stays', () => {
  const cases: readonly (readonly [given: string, expected: string])[] = [
    [String.raw`{"a":"\ud83d"}`, String.raw`{"a":"\ufffd"}`],
    [String.raw`{"a":"\uD83D x \ude00"}`, String.raw`{"a":"\ufffd x \ufffd"}`],
    [String.raw`{"a":"\ud83d\ude00\uD83D\uDE00"}`, String.raw`{"a":"\ud83d\ude00\uD83D\uDE00"}`],
    [String.raw`{"a":"\ud83d\ud83d\ude00"}`, String.raw`{"a":"\ufffd\ud83d\ude00"}`],
    [String.raw`{"a":"\ude00\ud83d"}`, String.raw`{"a":"\ufffd\ufffd"}`],
    [String.raw`{"a":"\\ud83d"}`, String.raw`{"a":"\\ud83d"}`],
    [String.raw`{"a":"\\\ud83d"}`, String.raw`{"a":"\\\ufffd"}`],
    ['{"a":"\ud83d 😀"}', '{"a":"\uFFFD 😀"}'],
  ];
  for (const [given, expected] of cases) {
    expect(wellFormedJson(given)).toBe(expected);
    expect(JSON.stringify(JSON.parse(expected)).includes(String.raw`\ud83d"`)).toBe(
      given.includes(String.raw`"\\ud83d"`),
    );
  }
  expect(toJsonText({ 'k\ud83d': ['\ude00', { b: 'ok 😀' }] })).toBe(String.raw`{"k\ufffd":["\ufffd",{"b":"ok 😀"}]}`);
});

test('a value is made well-formed in all of its strings and keys, and is the same object if it is already', () => {
  const sound = { role: 'user', content: [{ type: 'text', text: 'a 😀' }], more: { x: [1, null, true] } };
  expect(wellFormed(sound)).toBe(sound);
  const call = { type: 'tool-call', id: '1', name: 'a', arguments: String.raw`{"x":"\ud83d"}` };
  const given = { content: [{ type: 'text', text: 'a \ud83d' }, call], 'k\ude00': { arguments: String.raw`\ud83d` } };
  expect(wellFormed(given)).toEqual({
    content: [
      { type: 'text', text: 'a \uFFFD' },
      { ...call, arguments: String.raw`{"x":"\ufffd"}` },
    ],
    'k\uFFFD': { arguments: String.raw`\ud83d` },
  });
  let deep: unknown = '\ud83d';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(() => wellFormed(deep)).not.toThrow();
});

test('a cut leaves whole characters', () => {
  const text = '😀'.repeat(10);
  for (let length = 0; length < 22; length += 1)
    for (const cut of [sliceHead(text, length), sliceTail(text, length), truncate(text, length)]) {
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(Math.max(1, length));
    }
});
