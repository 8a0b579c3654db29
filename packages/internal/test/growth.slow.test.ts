import { expect, test } from 'vitest';
import { expectLinear, workOf } from '../../../test/setup/growth.ts';
import { createRedactor, createSearch, isExponential } from '../src/index.ts';
import { parseRegex } from '../src/regex/parse.ts';

const KEY = 'Qx7-fT9pLz2vRk8wHn4cYd6mJb1s';

test.each<readonly [string, (size: number) => string]>([
  ['backslashes', (size) => '\\'.repeat(size)],
  ['percent signs', (size) => '%C3'.repeat(size / 3)],
  ['beginnings of keys', (size) => 'sk-'.repeat(size / 3)],
  ['beginnings of JSON web tokens', (size) => '.eyJabcdefgh'.repeat(size / 12)],
  ['beginnings of private keys', (size) => '-----BEGIN PRIVATE KEY-----'.repeat(size / 27)],
  ['percent signs of percent signs', (size) => `%${'25'.repeat(size / 2)}`],
  ['one endless token', (size) => `sk-${'a'.repeat(size)}`],
  ['the key again and again', (size) => KEY.repeat(size / KEY.length)],
  ['all of the key but its end', (size) => KEY.slice(0, -1).repeat(size / KEY.length)],
])('%s are redacted in linear time, in one piece and in many', async (_, make) => {
  const work = (text: string): void => {
    const redactor = createRedactor([KEY, 'aaaaaaaab', 'with a space']);
    redactor.text(text);
    const stream = redactor.stream();
    for (let at = 0; at < text.length; at += 64) stream.push(text.slice(at, at + 64));
    stream.end();
  };
  await expectLinear({ make, work, largest: 16_384 });
});

test.each<readonly [string, string]>([
  ['classes', '[ab]'],
  ['groups', '(?:a)'],
  ['loops', 'ab*'],
  ['choices', 'abc|'],
])('a pattern of many %s is parsed in linear time', async (_, part) => {
  const make = (size: number): string => part.repeat(size / part.length);
  await expectLinear({ make, work: (source) => parseRegex(source, '') });
});

test.each([/^(a+)+$/, /(a|a)*b/, /(?:.*x)*y/, /a*a*b/])('a text is searched for %s in linear time', async (pattern) => {
  const make = (size: number): string => `${'a'.repeat(size)}!`;
  const search = createSearch(pattern);
  await expectLinear({ make, work: (text) => search(text, { left: 1e9 }), largest: 65_536 });
});

test.each(['(?:a|b)*', '(?:ab?)+'])('the analysis of a pattern of many %s ends within a bound', async (part) => {
  const work = (size: number) => workOf(() => isExponential(new RegExp(part.repeat(size))));
  expect(await work(400)).toBeLessThan(5_000_000);
});
