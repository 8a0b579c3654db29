import { expect, test } from 'vitest';
import { joinBytes, sizeOf } from '../../src/http/join-bytes.ts';

test('text and bytes are joined as UTF-8, whatever characters meet', () => {
  const parts = ['', 'aé', Buffer.from('日本'), '\u{1F600}', Buffer.alloc(0), 'x'.repeat(100_000), Buffer.from('"')];
  const whole = joinBytes(parts);
  expect(String(whole)).toBe(parts.map(String).join(''));
  expect(whole).toHaveLength(parts.reduce((sum, part) => sum + sizeOf(part), 0));
  expect(joinBytes([])).toHaveLength(0);
});

test('half a character at the end of a part takes the three bytes of its replacement and moves nothing else', () => {
  const halves = ['a\uD83D', '\uDE00b'];
  expect(String(joinBytes(halves))).toBe('a\uFFFD\uFFFDb');
  expect(halves.map(sizeOf)).toEqual([4, 4]);
});

test('the bytes are new: a part that changes later changes nothing', () => {
  const part = Buffer.from('abc');
  const whole = joinBytes([part]);
  part.fill('x');
  expect(String(whole)).toBe('abc');
});
