export { openDurable } from './open-durable.ts';
export type { Durable, DurableOptions } from './open-durable.ts';
export type { Durability } from './database/database.ts';
export type { StoredTask, StoredTasks } from './tasks/task-store.ts';
export type { Worker } from './worker/worker.ts';
export type { WorkerOptions } from './worker/worker-options.ts';
export type { DurableRunFilter, DurableStartOptions, RunInput } from './types.ts';
export type {
  Decision,
  DurableAgent,
  DurableContext,
  EventsOptions,
  LogEvent,
  OutcomeResolution,
  PurgeOptions,
  RecordedRun,
  RecordedRuns,
  RunResultJson,
  RunSignals,
  RunStatus,
  WaitingCall,
  WaitOptions,
} from '@kernel/protocol';
