export { scheduleTool } from './schedule-tool.ts';
export type { ScheduleToolOptions } from './schedule-tool.ts';
export { runSchedules } from './scheduler.ts';
export type { SchedulerOptions } from './scheduler.ts';
export { openScheduleStore } from './store.ts';
export type { ScheduleStore } from './store.ts';
export type {
  Clock,
  MissedRuns,
  StoredRun,
  RunState,
  Schedule,
  ScheduledRun,
  ScheduleLimits,
  ScheduleTime,
} from './types.ts';
