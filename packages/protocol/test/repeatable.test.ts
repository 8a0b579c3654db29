import { expect, test } from 'vitest';
import { verifies } from '../../testing/src/verifies.ts';
import { isRepeatable } from '../src/index.ts';

test.each([
  ['read', true],
  ['idempotent', true],
  ['write', false],
  ['external', false],
  [undefined, false],
] as const)('whether a call of a tool with the effect %s can be repeated without harm: %s', (effect, expected) => {
  verifies('tool.effect');
  expect(isRepeatable(effect)).toBe(expected);
});
