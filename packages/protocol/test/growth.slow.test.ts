import { test } from 'vitest';
import { expectLinear } from '../../../test/setup/growth.ts';
import { verifies } from '../../testing/src/verifies.ts';
import { findJsonLoss, mountedName, unwrapArguments } from '../src/index.ts';

const many = (size: number, unit: string): string => unit.repeat(Math.ceil(size / unit.length));
const keys = (size: number): string =>
  Array.from({ length: Math.ceil(size / 10) }, (_, at) => `"k${at}":{"a":1.5}`).join();

const read = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
const findLoss = (text: string): unknown => findJsonLoss(text, read(text), true);

test.each<readonly [string, (size: number) => string, (text: string) => unknown]>([
  ['keys with one there twice at the end', (size) => `{${keys(size)},"k0":1}`, findLoss],
  ['numbers that underflow', (size) => `[${many(size, '1e-1,')}1e-400]`, findLoss],
  ['the digits of a number', (size) => `[${many(size, '1')}]`, findLoss],
  ['signs and exponents', (size) => many(size, '-1e+'), findLoss],
  ['backslashes', (size) => `{"a":1e-1,"${many(size, '\\\\')}":1}`, findLoss],
  ['quotation marks', (size) => many(size, '\\"'), findLoss],
  ['colons', (size) => `{"a":"${many(size, ':')}"}`, findLoss],
  ['nested arrays', (size) => `${many(size, '[')}1e-400${many(size, ']')}`, findLoss],
  ['nested objects', (size) => many(size, '{"a":'), findLoss],
  ['text that was encoded twice', (size) => JSON.stringify(`{"a":"${many(size, '\\"')}"}`), unwrapArguments],
  ['white space', (size) => many(size, ' \n'), unwrapArguments],
  ['a tool name', (size) => many(size, 'ä '), (name) => mountedName('server', name)],
])('%s: read in linear time', async (_, make, work) => {
  verifies('protocol.linear');
  await expectLinear({ make, work, largest: 4096 });
});
