import type { StepExecutor } from '@kernel/protocol';
import { expect, test } from 'vitest';
import {
  createMemoryJournal,
  type JournalEntries,
  stepsConformance,
  type StepsUnderTest,
  verifies,
} from '../src/index.ts';

function inMemory(): StepsUnderTest {
  const runs = new Map<string, JournalEntries>();
  return {
    attempt: (runId, body) => {
      const entries = runs.get(runId) ?? new Map();
      runs.set(runId, entries);
      return body(createMemoryJournal({ entries }));
    },
  };
}

for (const { name, run } of stepsConformance(inMemory))
  test(`the journal in memory: ${name}`, async () => {
    verifies('durable.conformance');
    await expect(run()).resolves.toBeUndefined();
  });

test.each<readonly [string, (steps: StepExecutor) => StepExecutor]>([
  ['records nothing', () => ({ all: (batch) => Promise.all(batch.map((step) => step.run())) })],
  [
    'mixes the order of a batch up',
    (steps) => ({ ...steps, all: async (batch) => (await steps.all(batch)).toReversed() }),
  ],
  [
    'forgets that a handler was entered',
    (steps) => ({ ...steps, all: (batch) => steps.all(batch.map((step) => ({ ...step, effect: undefined }))) }),
  ],
])('an executor that %s is found out', async (_, spoil) => {
  verifies('durable.conformance');
  const spoilt = (): StepsUnderTest => {
    const subject = inMemory();
    return { attempt: (runId, body) => subject.attempt(runId, (steps) => body(spoil(steps))) };
  };
  const outcomes = await Promise.allSettled(stepsConformance(spoilt).map(({ run }) => run()));
  expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
});
