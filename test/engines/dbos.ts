import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Decision, Message } from '@kernel/protocol';
import { supportAgent } from './support-agent.ts';
import { type Recorded, runNextBatch } from './next-batch.ts';

/** How long a call may wait for a decision, in seconds. */
const APPROVAL_TIMEOUT_S = 7 * 24 * 60 * 60;

async function conversation(messages: readonly Message[]): Promise<string> {
  const runId = DBOS.workflowID ?? randomUUID();
  // Different in each process that continues the workflow.
  const attempt = randomUUID();
  const decisions: Record<string, Decision> = {};
  let recorded: Recorded = {};
  for (;;) {
    const begunBy = await DBOS.runStep(async () => attempt, { name: 'begin' });
    const advance = () =>
      runNextBatch(recorded, begunBy !== attempt, (steps) => supportAgent({ runId, messages }, steps, decisions));
    const next = await DBOS.runStep(advance, { name: 'advance' });
    if (next.reason !== undefined) return next.reason;
    if (next.error !== undefined) throw new Error(next.error);
    recorded = next.recorded;
    if (next.waiting === undefined) continue;
    const decision = await DBOS.recv<Decision>(next.waiting, { timeoutSeconds: APPROVAL_TIMEOUT_S });
    decisions[next.waiting] = decision ?? { decision: 'deny', reason: 'Nobody decided in time.' };
  }
}

/** `DBOS.startWorkflow(support, { workflowID: 'ticket-42' })(messages)`, and `DBOS.send('ticket-42', { decision: 'allow' }, 'call_1')` to decide. */
export const support = DBOS.registerWorkflow(conversation, { name: 'support' });
