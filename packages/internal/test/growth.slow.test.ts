import { test } from 'vitest';
import { expectLinear } from '../../../test/setup/growth.ts';
import { createRedactor } from '../src/index.ts';

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
