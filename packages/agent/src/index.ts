export { run } from './run.ts';
export type { RunOptions } from './options.ts';
export { collect } from './collect.ts';
export type { CallRecord, RunResult } from './collect.ts';
export { inProcessSteps } from './loop/steps.ts';
export type { Emit, Step, Steps } from './loop/steps.ts';
export type { RunLimits } from './limits/run-limits.ts';
export type { RepeatLimits } from './limits/loop-guard.ts';
export { createSteering } from './loop/steering.ts';
export type { Steering } from './loop/steering.ts';
export type { ApprovalDecision, Approve } from './approval/approval.ts';
export { repairHistory } from './history/repair-history.ts';
export type { RepairOptions } from './history/repair-history.ts';
export { rememberApprovals } from './approval/remember-approvals.ts';
export type { ApprovalRule } from './approval/remember-approvals.ts';
export { runToolLoop } from './compat/run-tool-loop.ts';
export type { ToolLoopConfig, ToolLoopResult } from './compat/run-tool-loop.ts';
export { tapEvents } from './wrappers/tap-events.ts';
export type { EventSink } from './wrappers/tap-events.ts';
export { withAsyncPolicy } from './wrappers/with-async-policy.ts';
export type { AsyncMode, AsyncPolicy } from './wrappers/with-async-policy.ts';
export { withHooks } from './wrappers/with-hooks.ts';
export type { AfterModel, BeforeModel, ModelHooks, Verdict } from './wrappers/model-hooks.ts';
export type { AfterTool, BeforeTool, ToolHooks } from './wrappers/tool-hooks.ts';
export { withSelectedTools } from './wrappers/with-selected-tools.ts';
export type { SelectTools } from './wrappers/with-selected-tools.ts';
export { agentAsTool, MAX_AGENT_DEPTH } from './multi-agent/agent-as-tool.ts';
export type { AgentTool, AgentToolOptions } from './multi-agent/agent-as-tool.ts';
export { runTeam } from './multi-agent/run-team.ts';
export type { TeamMember, TeamOptions } from './multi-agent/run-team.ts';
export { estimateTokens } from './wrappers/estimate-tokens.ts';
export { withClearedResults } from './wrappers/with-cleared-results.ts';
export type { ClearedResultsOptions } from './wrappers/with-cleared-results.ts';
export { withCompaction } from './wrappers/with-compaction.ts';
export type { CompactionOptions, Summarise } from './wrappers/with-compaction.ts';
export { createMemorySession } from './session/memory-session.ts';
export { loadHistory, runSession } from './session/run-session.ts';
export type { SessionRunOptions } from './session/run-session.ts';
export type { Session, SessionEntry } from './session/session.ts';
export { createAgent } from './client/model-client.ts';
export type {
  Agent,
  AgentOptions,
  AgentProtocol,
  AgentReply,
  AskOptions,
  Conversational,
  ImageInput,
} from './client/types.ts';
export { createAgents } from './client/model-clients.ts';
export type { AgentCatalog } from './client/model-clients.ts';
