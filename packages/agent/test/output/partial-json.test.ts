import { describe, expect, test } from 'vitest';
import { createPartialJson } from '../../src/output/partial-json.ts';

/** Everything that is shown of a text that arrives in single characters. */
function shown(text: string): unknown[] {
  const json = createPartialJson();
  const values: unknown[] = [];
  for (const char of text) {
    json.push(char);
    const value = json.take();
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(values.at(-1))) values.push(value);
  }
  return values;
}

describe('partial JSON', () => {
  test('shows texts while they arrive, and numbers and words once they have ended', () => {
    expect(shown('{"a": "xy", "b": 12, "c": true}')).toEqual([
      {},
      { a: '' },
      { a: 'x' },
      { a: 'xy' },
      { a: 'xy', b: 12 },
      { a: 'xy', b: 12, c: true },
    ]);
  });

  test('shows neither keys nor escapes that have not ended', () => {
    expect(shown('{"ab":"1\\n\\u0041\\"z"}').at(-1)).toEqual({ ab: '1\nA"z' });
    for (const value of shown('{"ab":"1\\n\\u0041\\"z"}'))
      expect(Object.keys(value as object).filter((key) => key !== 'ab')).toEqual([]);
  });

  test('ignores text before and after', () => {
    expect(shown('Sure: {"a":[1,2]} {"b":1}').at(-1)).toEqual({ a: [1, 2] });
  });

  test('each value is a separate object', () => {
    const json = createPartialJson();
    json.push('{"a":[1,');
    const first = json.take();
    json.push('2,');
    expect(json.take()).toEqual({ a: [1, 2] });
    expect(first).toEqual({ a: [1] });
  });

  test('every prefix of random values parses to a prefix of the value, and the whole text to all of it', () => {
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const make = (depth: number): unknown => {
      const kind = random(depth > 3 ? 4 : 6);
      if (kind === 0) return random(1000) / 10 - 20;
      if (kind === 1) return ['', 'x"y', '\\', 'ü\n😀', '}]{['][random(5)];
      if (kind === 2) return [true, false, null][random(3)];
      if (kind === 3) return random(5);
      if (kind === 4) return Array.from({ length: random(4) }, () => make(depth + 1));
      return Object.fromEntries(Array.from({ length: random(4) }, (_, index) => [`k"${index}`, make(depth + 1)]));
    };
    for (let round = 0; round < 500; round += 1) {
      const value = { root: make(0) };
      const text = JSON.stringify(value, null, random(3));
      const values = shown(text);
      expect(values.at(-1)).toEqual(value);
    }
  });

  test('invalid JSON is not shown, however deeply it is nested', () => {
    expect(shown('{oops')).toEqual([{}]);
    const json = createPartialJson();
    json.push('['.repeat(100_000));
    expect(json.take()).toBeUndefined();
  });

  test('a long text is shown in steps that together take time in proportion to it', () => {
    const json = createPartialJson();
    let total = 0;
    let length = 0;
    for (let index = 0; index < 20_000; index += 1) {
      const piece = `${index === 0 ? '[' : ','}"abcdefgh"`;
      json.push(piece);
      length += piece.length;
      if (json.take() !== undefined) total += length;
    }
    expect(total / length).toBeLessThan(60);
  });
});
