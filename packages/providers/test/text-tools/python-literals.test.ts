import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { withTextTools } from '../../src/text-tools/index.ts';
import { readPythonCalls } from '../../src/text-tools/python-literal.ts';
import { letters, read, saying } from './support.ts';

const fence = '```';

function decoded(literal: string): unknown {
  const calls = readPythonCalls(`write_file(text='${literal}')`);
  return calls === undefined ? undefined : (JSON.parse(calls[0]?.arguments ?? '') as { text: unknown }).text;
}

test.each([
  [String.raw`\U0001F600 \U000000e9`, '😀 é'],
  [String.raw`\101\102\60\0\012\7778`, 'AB0\0\n\u{1ff}8'],
  [String.raw`\ud83d\ude00\xe9`, '😀é'],
  [String.raw`\a\b\f\n\r\t\v\\\'\"`, '\u0007\b\f\n\r\t\v\\\'"'],
  [String.raw`C:\Users\New\q \u12 \x4 \8`, String.raw`C:\Users` + '\\New\\q \\u12 \\x4 \\8'],
])('the escapes of a Python string are decoded, and what is none stays: %s', (literal, text) => {
  verifies('grammar.text.escapes');
  expect(decoded(literal)).toBe(text);
});

test.each([String.raw`\N{BULLET}`, String.raw`a\N{LATIN SMALL LETTER A}b`, String.raw`\U00110000`])(
  'a character that only Python can name is no text, so its call is none: %s',
  async (literal) => {
    verifies('grammar.text.escapes');
    expect(decoded(literal)).toBeUndefined();
    const said = `[write_file(text="${literal}")]`;
    const result = await read(withTextTools(saying([said]), 'llama3-pythonic'));
    expect(result.calls).toEqual([]);
    expect(result.text).toBe(said);
  },
);

test('an empty block of Python calls is text, and the next block is read', async () => {
  verifies('grammar.text.escapes');
  const empty = `${fence}tool_code\n${fence}`;
  const said = `${empty}\nNothing.\n${fence}tool_code\nnow()\n${fence}\nBye.`;
  for (const pieces of [[said], letters(said)]) {
    const result = await read(withTextTools(saying(pieces), 'gemma'));
    expect(result.calls).toEqual([['now', {}]]);
    expect(result.text).toBe(`${empty}\nNothing.\n\nBye.`);
  }
  expect((await read(withTextTools(saying(letters(empty)), 'gemma'))).text).toBe(empty);
});

test.each(['json', 'tool_call', ''])(
  'an empty block of JSON (%s) is text, and the next block is read',
  async (info) => {
    verifies('grammar.text.escapes');
    const said = `${fence}${info}\n${fence}\n${fence}${info}\n{"name": "now", "arguments": {}}\n${fence}`;
    for (const pieces of [[said], letters(said)]) {
      const result = await read(withTextTools(saying(pieces), 'json'));
      expect(result.calls).toEqual([['now', {}]]);
      expect(result.text).toBe(`${fence}${info}\n${fence}\n`);
    }
  },
);
