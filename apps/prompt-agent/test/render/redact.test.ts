import { expect, test } from 'vitest';
import { createRedactor } from '../../src/render/redact.ts';

const SECRET = 'abcabd';

test('a secret is replaced for every split of the text into two pieces, and nothing else changes', () => {
  const text = `xxabcab abc${SECRET}${SECRET} ab`;
  for (let at = 0; at <= text.length; at += 1) {
    const redactor = createRedactor(SECRET);
    expect(redactor.push(text.slice(0, at)) + redactor.push(text.slice(at)) + redactor.end()).toBe(
      'xxabcab abc****** ab',
    );
  }
});

test('without a secret the text goes through at once', () => {
  expect(createRedactor(undefined).push('text')).toBe('text');
});
