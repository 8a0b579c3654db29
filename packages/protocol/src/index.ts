export type { JsonObject, JsonSchema, JsonValue } from './json.ts';
export { unwrapArguments } from './json-text/argument-text.ts';
export { parseNumber } from './json-text/exact-number.ts';
export { duplicateKeys, findJsonLoss, jsonLossError } from './json-text/json-loss.ts';
export type { JsonLoss } from './json-text/json-loss.ts';
export { createJsonSource } from './json-text/json-source.ts';
export type { JsonSource } from './json-text/json-source.ts';
export type { ModelOptions } from './model-options.ts';
export { checkPromptCache } from './prompt-cache.ts';
export type { CachePoint, PromptCache, PromptCacheOptions } from './prompt-cache.ts';
export { isToolName, mountedName } from './tool-name.ts';
export type { Tool, ToolCall, ToolEffect, ToolExample, ToolMetadata, ToolOptionality } from './tool.ts';
export { changedCallError } from './changed-call.ts';
export {
  awaitsBeforeHandler,
  validatesCalls,
  rewritesCalls,
  hasInnerSteps,
  markAwaitsBeforeHandler,
  markValidatesCalls,
  markRewritesCalls,
  markInnerSteps,
} from './call-marks.ts';
export type { RecordedDecision, PendingCall, SuspendedAgent, SuspendedCall } from './pending.ts';
export { addUsage, dropsCalls, textOf, toolCallsOf } from './message.ts';
export type {
  AssistantMessage,
  FinishReason,
  MediaPart,
  Message,
  OpaquePart,
  ProviderTrace,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolMessage,
  Usage,
  UserMessage,
} from './message.ts';
export {
  asyncResult,
  errorResult,
  isToolResult,
  silentResult,
  toErrorResult,
  resultAfterAbort,
  TOOL_OUTCOMES,
  toModelText,
  toolResult,
  toResultJson,
  unreadableResult,
  userResult,
  withError,
} from './result.ts';
export type { ToolOutcome, ToolRepair, ToolResult, ToolResultJson } from './result.ts';
export { batchesOf, withBatches } from './event-batches.ts';
export type { NextBatch } from './event-batches.ts';
export { checkProvider, checkToolset } from './check-ports.ts';
export { wrapProvider, wrapToolset } from './wrap-ports.ts';
export { checkKeys, describeType, optionKeys, unknownKeyError } from './option-keys.ts';
export type { KeysOf } from './option-keys.ts';
export { checkChoice, checkFunctions, checkNumber, describeValue, invalidOption } from './option-values.ts';
export { KERNEL_ERROR_CODES, KernelError } from './error.ts';
export type { KernelErrorCode, KernelErrorOptions } from './error.ts';
export type { Citation, ServerToolCall, ServerToolResult, Source } from './server-tool.ts';
export type {
  AgentEvent,
  ApprovalRequest,
  CitationEvent,
  DroppedCall,
  MessageEnd,
  OutputDelta,
  OutputRejected,
  ProviderEvent,
  ProviderWarning,
  ReasoningDelta,
  ReplyWithdrawn,
  Steer,
  SubAgentEvent,
  AudioDelta,
  TextDelta,
  ToolCallDelta,
  ToolComplete,
  ToolEnd,
  ToolProgress,
  ToolStart,
  TurnEnd,
  TurnStart,
} from './event.ts';
export type {
  RunDone,
  RunEnd,
  RunFailed,
  PartialOutput,
  RunHandled,
  RunLimit,
  RunLimited,
  RunPending,
  RunStopped,
  RunTotals,
  TypedAnswer,
} from './run/run-end.ts';
export { STEP_FORMAT, withPrefix } from './run/step.ts';
export type { Emit, Step, StepExecutor, StepKind, StepScope } from './run/step.ts';
export type { ApprovalDecision, Approve } from './run/approve.ts';
export type { Steering } from './run/steering.ts';
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
  EventsOptions,
  PurgeOptions,
  RecordedRuns,
  RunFilter,
  StartOptions,
  WaitOptions,
} from './run/recorded-run.ts';
export { callFromInput, callIdOf, isInnerStep, limitOutput, MAX_STEP_BYTES, pendingCallOf } from './run/step-output.ts';
export { shouldLogEvent, toLogEvent } from './run/log-event.ts';
export type {
  CallContext,
  Conversation,
  Embedding,
  EmbedRequest,
  EmbedResult,
  Provider,
  ProviderRequest,
  ResponseFormat,
  StructuredOutput,
  TokenCount,
  ToolChoice,
  ToolContext,
  ToolImplementation,
  Toolset,
  TranscribeRequest,
  Transcript,
  TurnContext,
  ValidatedCall,
} from './port.ts';
export { RUN_STATUSES } from './run/recorded-run.ts';
export {
  checkCallId,
  checkDate,
  checkDecision,
  checkMessages,
  checkPurge,
  checkRunId,
  checkSteer,
  checkText,
  checkOutcomeResolution,
  toJsonText,
} from './run/check-verbs.ts';
