export { run } from './run.ts';
export type { RunOptions } from './options.ts';
export { collect } from './collect.ts';
export type { CallRecord, RunResult } from './collect.ts';
export { inProcessSteps } from './steps.ts';
export type { Emit, Step, Steps } from './steps.ts';
export type { RunLimits } from './limits.ts';
export type { RepeatLimits } from './loop-guard.ts';
export { createSteering } from './steering.ts';
export type { Steering } from './steering.ts';
export type { ApprovalDecision, Approve } from './approval.ts';
export { repairHistory } from './repair-history.ts';
export type { RepairOptions } from './repair-history.ts';
export { rememberApprovals } from './remember-approvals.ts';
export type { ApprovalRule } from './remember-approvals.ts';
export { runToolLoop } from './run-tool-loop.ts';
export type { ToolLoopConfig, ToolLoopResult } from './run-tool-loop.ts';
export { tapEvents } from './tap-events.ts';
export type { EventSink } from './tap-events.ts';
export { withAsyncPolicy } from './with-async-policy.ts';
export type { AsyncMode, AsyncPolicy } from './with-async-policy.ts';
export { withHooks } from './with-hooks.ts';
export type { AfterModel, BeforeModel, ModelHooks, Verdict } from './hooks/model-hooks.ts';
export type { AfterTool, BeforeTool, ToolHooks } from './hooks/tool-hooks.ts';
export { withSelectedTools } from './with-selected-tools.ts';
export type { SelectTools } from './with-selected-tools.ts';
export { agentAsTool, MAX_AGENT_DEPTH } from './agent-as-tool.ts';
export type { AgentTool, AgentToolOptions } from './agent-as-tool.ts';
export { runTeam } from './hand-off.ts';
export type { TeamMember, TeamOptions } from './hand-off.ts';
export { estimateTokens } from './context/estimate-tokens.ts';
export { withClearedResults } from './context/with-cleared-results.ts';
export type { ClearedResultsOptions } from './context/with-cleared-results.ts';
export { withCompaction } from './context/with-compaction.ts';
export type { CompactionOptions, Summarise } from './context/with-compaction.ts';
export { createMemorySession } from './session/memory-session.ts';
export { loadHistory, runSession } from './session/run-session.ts';
export type { SessionRunOptions } from './session/run-session.ts';
export type { Session, SessionEntry } from './session/session.ts';
export { createAgent } from './agent/create-agent.ts';
export type {
  Agent,
  AgentOptions,
  AgentProtocol,
  AgentReply,
  AskOptions,
  Conversational,
  ImageInput,
} from './agent/agent.ts';
export { createAgents } from './agent/create-agents.ts';
export type { AgentCatalog } from './agent/create-agents.ts';
