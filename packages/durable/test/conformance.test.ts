import type { StepExecutor } from '@kernel/protocol';
import { stepsConformance, type StepsUnderTest, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { agentOf } from './steps.ts';
import { journal, messages, worker } from './support.ts';

test.each(stepsConformance(makeSubject))('a journal in SQLite: $name', async ({ run }) => {
  verifies('durable.conformance');
  await expect(run()).resolves.toBeUndefined();
});

function makeSubject(): StepsUnderTest {
  const db = journal();
  let current: ((steps: StepExecutor) => Promise<void>) | undefined;
  const run = agentOf(async (steps) => {
    await current?.(steps);
    return null;
  });
  worker(db, { agents: { a: { run } } });
  return {
    attempt(runId, body) {
      return new Promise((resolve, reject) => {
        current = async (steps) => {
          current = undefined;
          try {
            const output = await body(steps);
            resolve(output);
          } catch (error) {
            const failed = error instanceof Error ? error : new Error(String(error));
            setImmediate(() => reject(failed));
            throw failed;
          }
        };
        const begin = async (): Promise<void> => {
          if (await db.start(runId, { agent: 'a', messages })) return;
          await expect.poll(async () => (await db.status(runId))?.status).not.toBe('running');
          const waiting = await db.waiting(runId);
          if (waiting.length === 0) return db.retry(runId);
          // Any decision wakes it; the steps of the suite ask by themselves.
          await Promise.all(waiting.map(({ callId }) => db.decide(runId, callId, { decision: 'allow' })));
        };
        begin().catch(reject);
      });
    },
  };
}
