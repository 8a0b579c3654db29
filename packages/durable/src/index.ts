export { openDurable } from './open-durable.ts';
export type { Durable, DurableOptions, EventsOptions, WaitOptions } from './open-durable.ts';
export type { Durability } from './database/database.ts';
export type { RunFilter } from './runs/read-run.ts';
export type { PurgeOptions } from './runs/signals.ts';
export type { StartOptions } from './runs/start-run.ts';
export type { Worker } from './worker/worker.ts';
export type { WorkerOptions } from './worker/worker-options.ts';
export type { RunInput, DurableRun } from './types.ts';
export type {
  Decision,
  DurableAgent,
  LogEvent,
  DurableContext,
  RunResultJson,
  RunSignals,
  RunStatus,
  OutcomeResolution,
  WaitingCall,
} from '@kernel/protocol';
