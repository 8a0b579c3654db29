import { activityInfo } from '@temporalio/activity';
import { type Decisions, type Start, supportAgent } from './support-agent.ts';
import { type Recorded, type Tick, tick } from './tick.ts';

/** Runs in the worker, where provider and tools are: `Worker.create({ activities: { advance }, … })`. */
export async function advance(start: Start, recorded: Recorded, decisions: Decisions): Promise<Tick> {
  return tick(recorded, activityInfo().attempt > 1, (steps) => supportAgent(start, steps, decisions));
}
