import type { Decision } from '@kernel/protocol';
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import type { Start } from './support-agent.ts';
import type { advance } from './temporal-activities.ts';
import type { Recorded } from './next-batch.ts';

/** Decides on a call: `handle.signal(decide, 'call_1', { decision: 'allow' })`. */
export const decide = defineSignal<[callId: string, decision: Decision]>('decide');

const worker = proxyActivities<{ advance: typeof advance }>({ startToCloseTimeout: '10 minutes' });

/** The workflow does no I/O and imports no agent: it stores what is recorded, and waits. */
export async function conversation(start: Start): Promise<string> {
  const decisions: Record<string, Decision> = {};
  setHandler(decide, (callId, decision) => {
    decisions[callId] ??= decision;
  });
  let recorded: Recorded = {};
  for (;;) {
    const next = await worker.advance(start, recorded, decisions);
    if (next.reason !== undefined) return next.reason;
    if (next.error !== undefined) throw new Error(next.error);
    recorded = next.recorded;
    const { waiting } = next;
    if (waiting !== undefined) await condition(() => waiting in decisions);
  }
}
