import type { Decision } from '@kernel/protocol';
import { createHook, getStepMetadata } from '@workflow/core';
import { type Decisions, type Start, supportAgent } from './support-agent.ts';
import { type Recorded, type BatchResult, runNextBatch } from './next-batch.ts';

async function advance(start: Start, recorded: Recorded, decisions: Decisions): Promise<BatchResult> {
  'use step';
  return runNextBatch(recorded, getStepMetadata().attempt > 1, (steps) => supportAgent(start, steps, decisions));
}

/** The workflow stores what is recorded, and waits: `resumeHook('ticket-42 call_1', { decision: 'allow' })`. */
export async function conversation(start: Start): Promise<string> {
  'use workflow';
  const decisions: Record<string, Decision> = {};
  let recorded: Recorded = {};
  for (;;) {
    const next = await advance(start, recorded, decisions);
    if (next.reason !== undefined) return next.reason;
    if (next.error !== undefined) throw new Error(next.error);
    recorded = next.recorded;
    const { waiting } = next;
    if (waiting === undefined) continue;
    decisions[waiting] = await createHook<Decision>({ token: `${start.runId} ${waiting}` });
  }
}
