import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { TEXT_FORMATS, detectTextCalls, withTextTools } from '../../src/text-tools/index.ts';
import { file, o, tricky, weather } from './samples.ts';
import { letters, read, saying } from './support.ts';

const call = o(weather, 'parameters');

test.each<readonly [string, string]>([
  [`So I look: ${call} and then I tell you.`, 'So I look:  and then I tell you.'],
  [`${call} Shall I go on?`, ' Shall I go on?'],
  [`I use {get_weather}, with {"city": "Oslo"}: ${call}.`, 'I use {get_weather}, with {"city": "Oslo"}: .'],
  [`A set {1, 2}, {"a": {"name": 1}} and { "x }: ${call}`, 'A set {1, 2}, {"a": {"name": 1}} and { "x }: '],
])('llama3-json: a call object with parameters between words is a call: %s', async (said, text) => {
  verifies('grammar.text.prose');
  const pieces = letters(said);
  for (const split of [[said], pieces]) {
    const result = await read(withTextTools(saying(split), 'llama3-json'));
    expect(result.calls).toEqual([weather]);
    expect(result.text).toBe(text);
  }
});

test('llama3-json: several calls between words, apart by semicolons or white space', async () => {
  verifies('grammar.text.prose');
  for (const between of ['; ', ';', ' ; ', ';\n', '\n', ' ']) {
    const said = `Here: ${call}${between}${o(file, 'parameters')}${between}${o(['now', {}], 'parameters')} Done?`;
    const result = await read(withTextTools(saying([said]), 'llama3-json'));
    expect(result.calls).toEqual([weather, file, ['now', {}]]);
    expect(result.text).toBe('Here:  Done?');
  }
});

test.each([
  'Write {"name": "get_weather", "parameters": {"city": "Os',
  'Write {"name": "get_weather"} to call it.',
  'Write {"name": "get_weather", "arguments": {}} to call it.',
  'Write {"name": "get_weather", "parameters": "now"} to call it.',
  'Write {"name": "rm_rf", "parameters": {}} to call it.',
  'Its definition: {"name": "get_weather", "description": "Tells", "parameters": {}} as you know.',
])('llama3-json: other objects between words stay text: %s', async (said) => {
  verifies('grammar.text.known');
  const result = await read(withTextTools(saying(letters(said)), 'llama3-json'));
  expect(result.calls).toEqual([]);
  expect(result.text).toBe(said);
});

test('in every other format, and where the format is not known, a call object between words is text', async () => {
  verifies('grammar.text.known');
  const said = `Write ${o(['write_file', tricky], 'parameters')} to call it.`;
  const others = TEXT_FORMATS.filter((format) => format !== 'llama3-json');
  for (const wrap of [
    detectTextCalls,
    ...others.map((format) => (inner: ReturnType<typeof saying>) => withTextTools(inner, format)),
  ]) {
    const result = await read(wrap(saying([said])));
    expect(result.calls).toEqual([]);
    expect(result.text).toBe(said);
  }
});
