import { activityInfo } from '@temporalio/activity';
import { type Decisions, type Start, supportAgent } from './support-agent.ts';
import { type Recorded, type BatchResult, runNextBatch } from './next-batch.ts';

/** Runs in the worker, which has the provider and the tools: `Worker.create({ activities: { advance }, … })`. */
export async function advance(start: Start, recorded: Recorded, decisions: Decisions): Promise<BatchResult> {
  return runNextBatch(recorded, activityInfo().attempt > 1, (steps) => supportAgent(start, steps, decisions));
}
