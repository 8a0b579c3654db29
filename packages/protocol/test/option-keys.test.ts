import { describe, expect, test } from 'vitest';
import { checkKeys, describeType, type KernelError, optionKeys, unknownKeyError } from '@kernel/protocol';
import { verifies } from '../../testing/src/verifies.ts';

interface Sample {
  readonly timeoutMs?: number;
  readonly retries?: number;
}
const KEYS = optionKeys<Sample>({ timeoutMs: true, retries: true });

const errorOf = (options: unknown, path?: string): KernelError | undefined =>
  unknownKeyError('connect', options, KEYS, path);

describe('an unknown key', () => {
  test('is named with the nearest known key', () => {
    verifies('architecture.options');
    const error = errorOf({ retrys: 2 });
    expect(error?.code).toBe('CONFIG_INVALID');
    expect(error?.message).toBe('connect: there is no option "retrys".');
    expect(error?.hint).toBe('Did you mean "retries"?');
    expect(error?.data).toEqual({ option: 'retrys', near: 'retries' });
  });

  test('that is near nothing is named with all that there are', () => {
    verifies('architecture.options');
    expect(errorOf({ color: 'red' })?.hint).toBe('The options are timeoutMs, retries.');
  });

  test('of a nested object is named with its path', () => {
    verifies('architecture.options');
    const error = errorOf({ retrys: 2 }, 'client.');
    expect(error?.message).toContain('"client.retrys"');
    expect(error?.hint).toContain('"client.retries"');
  });

  test('is cut if it is long, and its value is never shown', () => {
    verifies('architecture.options');
    const error = errorOf({ ['x'.repeat(10_000)]: 'sk-secret' });
    expect(error?.message.length).toBeLessThan(120);
    expect(JSON.stringify(error)).not.toContain('sk-secret');
  });

  test('without a value is absent', () => {
    verifies('architecture.options');
    expect(errorOf({ timeout: undefined, retries: 1 })).toBeUndefined();
  });

  test('that an object inherits counts, since options are read with inheritance', () => {
    verifies('architecture.options');
    expect(errorOf(Object.create({ timeout: 5 }))?.message).toContain('"timeout"');
  });
});

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [['a'], 'an array'],
  ['a', 'a string'],
  [() => 1, 'a function'],
])('options that are %o are refused with what to pass', (value, shown) => {
  verifies('architecture.options');
  expect(() => checkKeys('connect', value, KEYS)).toThrow(`connect: the options must be an object, not ${shown}.`);
  expect(describeType(value)).toBe(shown);
});
