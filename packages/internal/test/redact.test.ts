import { expect, test } from 'vitest';
import { createRedactor, MIN_SECRET_LENGTH } from '../src/index.ts';

const SECRET = 's€cret/"key"';

test('a secret is found plainly and as JSON, URL and base64 write it', () => {
  const redactor = createRedactor([SECRET]);
  const forms = [
    SECRET,
    JSON.stringify(SECRET),
    encodeURIComponent(SECRET),
    Buffer.from(SECRET).toString('base64'),
    `Basic ${Buffer.from(SECRET).toString('base64').replace(/=+$/, '')}`,
  ];
  for (const form of forms) expect(redactor.text(`<${form}>`)).toMatch(/^<("|Basic )?\[redacted\]=*"?>$/);
});

test('a secret that begins another leaves nothing of the longer one', () => {
  expect(createRedactor(['abcd', 'abcdefgh']).text('abcdefgh abcd')).toBe('[redacted] [redacted]');
});

test('values shorter than the minimum are no secrets, and a secret may hold the patterns of a replacement', () => {
  expect(MIN_SECRET_LENGTH).toBe(4);
  const redactor = createRedactor(['abc', undefined, '$&$1']);
  expect(redactor.text('abc $&$1')).toBe('abc [redacted]');
  const stream = createRedactor(['abc', 'xyz1']).stream();
  expect(stream.push('abc xyz') + stream.push('1 abc') + stream.end()).toBe('abc [redacted] abc');
});

test('data is copied with keys and values redacted, and left alone where there are no secrets', () => {
  const data = { [SECRET]: [SECRET, { deep: SECRET }], bytes: new Uint8Array(1), none: null };
  expect(createRedactor([SECRET]).data(data)).toEqual({
    '[redacted]': ['[redacted]', { deep: '[redacted]' }],
    bytes: data.bytes,
    none: null,
  });
  expect(createRedactor().data(data)).toBe(data);
});

test('a secret cut at any place of a stream does not show, and all the rest does', () => {
  const text = `before ${SECRET} between ${encodeURIComponent(SECRET)} after s€c`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    const stream = createRedactor([SECRET]).stream();
    const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
    expect(shown).toBe('before [redacted] between [redacted] after s€c');
  }
});

test('a secret that arrives one character at a time does not show', () => {
  const stream = createRedactor([SECRET]).stream();
  const shown =
    Array.from(`a${SECRET}b`)
      .map((piece) => stream.push(piece))
      .join('') + stream.end();
  expect(shown).toBe('a[redacted]b');
});

test('overlapping secrets, and secrets that resemble the mark, leave nothing behind', () => {
  expect(createRedactor(['abcdef123', 'def123456']).text('<abcdef123456>')).toBe('<[redacted]>');
  expect(createRedactor(['secret', 'acted']).text('secret reacted')).toBe('[redacted] re[redacted]');
});

test('a secret that equals a spelling of another is hidden in its own spellings too', () => {
  const redactor = createRedactor(['p@ss/w', 'p%40ss%2Fw']);
  expect(redactor.text(btoa('p%40ss%2Fw'))).toContain('[redacted]');
});

test('values that JSON does not have stay as they are', () => {
  const data = { at: new Date(0), names: new Map([['a', SECRET]]), cause: new Error('x') };
  expect(createRedactor([SECRET]).data(data)).toEqual(data);
});

test('a lone surrogate in a secret breaks nothing', () => {
  expect(createRedactor(['\uD800abcd']).text('x \uD800abcd')).toBe('x [redacted]');
});

test('a secret that repeats its own beginning is found for every split, and nothing else changes', () => {
  const text = 'xxabcab abcabcabdabcabd ab';
  for (let cut = 0; cut <= text.length; cut += 1) {
    const stream = createRedactor(['abcabd']).stream();
    const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
    expect(shown).toBe('xxabcab abc[redacted][redacted] ab');
  }
});

test('of two secrets, one the beginning of the other, the rest of the longer never shows, wherever the text is cut', () => {
  for (let cut = 0; cut <= 14; cut += 1) {
    const stream = createRedactor(['abcd', 'abcdefgh', 'xabc']).stream();
    const text = 'xabcdefgh abcd'.padEnd(14);
    const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
    expect(shown).not.toMatch(/abcd|xabc/);
  }
});

test('text without a secret is passed on at once', () => {
  expect(createRedactor().stream().push('text')).toBe('text');
  expect(createRedactor(['secret']).stream().push('text')).toBe('text');
});
