import type { AgentEvent, Decision, JsonValue, StepExecutor } from '@kernel/protocol';
import { stepsConformance, type StepsUnderTest, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { supportAgent } from './support-agent.ts';
import { type Recorded, runNextBatch } from './next-batch.ts';

test.each(stepsConformance(makeSubject))('activities of an engine: $name', async ({ run }) => {
  verifies('durable.engines');
  await expect(run()).resolves.toBeUndefined();
});

test('an agent runs batch by batch, and waits for a decision', async () => {
  verifies('durable.engines');
  const start = { runId: 'r', messages: [{ role: 'user', content: 'Send a mail to Ada' }] } as const;
  const decisions: Record<string, Decision> = {};
  let recorded: Recorded = {};
  let waited = 0;
  for (let batches = 0; batches < 20; batches += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one activity after the other
    const next = await runNextBatch(recorded, false, (steps) => supportAgent(start, steps, decisions));
    expect(next.error).toBeUndefined();
    recorded = next.recorded;
    if (next.waiting !== undefined) {
      waited += 1;
      decisions[next.waiting] = { decision: 'allow' };
    }
    if (next.reason === undefined) continue;
    expect(next.reason).toBe('done');
    expect(waited).toBe(1);
    expect(JSON.stringify(recorded)).toContain('Sent as r:');
    return;
  }
  expect.unreachable('The run did not end.');
});

/** An in-memory engine. It repeats a failed activity as if its process had died. */
function makeSubject(): StepsUnderTest {
  const runs = new Map<string, { recorded: Recorded; hasFailed: boolean }>();
  return {
    begins: 'step',
    async attempt(runId, body) {
      const state = runs.get(runId) ?? { recorded: {}, hasFailed: false };
      runs.set(runId, state);
      for (;;) {
        let result: { readonly value: Awaited<ReturnType<typeof body>> } | undefined;
        async function* agent(steps: StepExecutor): AsyncGenerator<AgentEvent> {
          result = { value: await body(steps) };
          const usage = { inputTokens: 0, outputTokens: 0 };
          yield { type: 'run-end', reason: 'done', answer: '', turns: 0, messages: [], usage };
        }
        // oxlint-disable-next-line no-await-in-loop -- one activity after the other
        const next = await runNextBatch(state.recorded, state.hasFailed, agent);
        state.hasFailed = next.error !== undefined;
        state.recorded = parsed(next.recorded);
        if (next.error !== undefined) throw new Error(next.error);
        if (next.waiting !== undefined) throw new Error('The run waits.');
        if (result !== undefined) return result.value;
      }
    },
  };
}

function parsed(recorded: Recorded): Recorded {
  const json: unknown = JSON.parse(JSON.stringify(recorded));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it was
  return json as Readonly<Record<string, JsonValue>>;
}
