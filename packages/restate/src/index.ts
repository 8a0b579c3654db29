export { agentWorkflow } from './workflow/agent-workflow.ts';
export type { AgentWorkflow, AgentWorkflowOptions } from './workflow/agent-workflow.ts';
export { openRestate } from './client/open-restate.ts';
export type { RestateRuns } from './client/open-restate.ts';
export type { EventsOptions, RestateOptions, RetryOptions, StartOptions, WaitOptions } from './client/options.ts';
export type { PurgeOptions, RunFilter } from './client/queries.ts';
export type {
  Decision,
  DurableAgent,
  LogEvent,
  RecordedRun,
  DurableContext,
  RunResultJson,
  RunSignals,
  RunStatus,
  OutcomeResolution,
  WaitingCall,
} from '@kernel/protocol';
