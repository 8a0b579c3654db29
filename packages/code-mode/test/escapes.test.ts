import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ESCAPES } from './escapes.ts';

test('there are sixty of them', () => {
  verifies('codemode.escapes');
  expect(Object.keys(ESCAPES).length).toBeGreaterThanOrEqual(60);
});
