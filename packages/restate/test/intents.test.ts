import { randomUUID } from 'node:crypto';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createAttemptIntents } from '../src/workflow/intents.ts';

/** Two attempts of this process, the first of which has recorded an intent. */
function attempts() {
  const [id, laterId] = [randomUUID(), randomUUID()];
  const [earlier, later] = [createAttemptIntents(id), createAttemptIntents(laterId)];
  expect(earlier.record('pay')).toBe(id);
  expect(earlier.takeOver('pay', id)).toBe(true);
  return { id, laterId, earlier, later };
}
const over = expect.objectContaining({ code: 'TOOL_CANCELLED' });

test('a call whose handler an earlier attempt of this process did not enter can run, and only in the later attempt', () => {
  verifies('restate.intents');
  const { id, earlier, later } = attempts();
  expect(later.takeOver('pay', id)).toBe(true);
  expect(() => earlier.enter('pay')).toThrowError(over);
  later.enter('pay');
});

test('a call whose handler was entered, in whichever attempt, does not run again', () => {
  verifies('restate.intents');
  const { id, earlier, later } = attempts();
  earlier.enter('pay');
  expect(later.takeOver('pay', id)).toBe(false);
  const second = attempts();
  expect(second.later.takeOver('pay', second.id)).toBe(true);
  second.later.enter('pay');
  expect(createAttemptIntents(randomUUID()).takeOver('pay', second.id)).toBe(false);
});

test('an intent of another process, another call or a recorded result says nothing', () => {
  verifies('restate.intents');
  const { id, earlier, later } = attempts();
  expect(later.takeOver('pay', randomUUID())).toBe(false);
  expect(later.takeOver('pay 2', id)).toBe(false);
  earlier.forget(['pay', 'never recorded']);
  expect(later.takeOver('pay', id)).toBe(false);
});

test('a call without an intent may be entered, and of the oldest of too many intents nothing is known', () => {
  verifies('restate.intents');
  const { id, later } = attempts();
  later.enter('a read');
  for (let at = 0; at < 10_000; at += 1) later.record(`other ${at}`);
  expect(later.takeOver('pay', id)).toBe(false);
  later.forget(Array.from({ length: 10_000 }, (_, at) => `other ${at}`));
});
