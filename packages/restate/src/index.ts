export { agentWorkflow } from './workflow/agent-workflow.ts';
export type { AgentWorkflow, AgentWorkflowOptions } from './workflow/agent-workflow.ts';
export { openRestate } from './client/open-restate.ts';
export type { RestateRuns } from './client/open-restate.ts';
export type { RestateOptions, RetryOptions } from './client/options.ts';
export type {
  Decision,
  EventsOptions,
  PurgeOptions,
  RecordedRuns,
  RunFilter,
  StartOptions,
  WaitOptions,
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
