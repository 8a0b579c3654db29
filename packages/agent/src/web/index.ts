export { toResponse } from './to-response.ts';
export type { ToResponseOptions } from './to-response.ts';
export type { SseOptions } from './sse.ts';
export { resumeFrom } from './resume.ts';
export type { ResumePoint } from './resume.ts';
export { toTextResponse } from './to-text-response.ts';
export type { ToTextResponseOptions } from './to-text-response.ts';
export { clientEvents } from './client-events.ts';
export type { ClientEventsOptions } from './client-events.ts';
export type { ClientField } from './client-field.ts';
export type {
  ClientCall,
  ClientCallDelta,
  ClientError,
  ClientEvent,
  ClientMessage,
  ClientOutcome,
  ClientPendingCall,
  ClientResult,
  ClientRunEnd,
  ClientStatus,
  ClientStreamEvent,
} from './client-event.ts';
export { decisionsFrom } from './decisions.ts';
export type { ClientDecision } from './decisions.ts';
export { toUiMessageStream, toUiMessageStreamResponse } from './ui-messages/to-ui-message-stream.ts';
export type { UiMessageStreamOptions, UiMessageStreamResponseOptions } from './ui-messages/to-ui-message-stream.ts';
export type { UiDataChunk, UiFinishReason, UiMessageChunk, UiToolInput } from './ui-messages/ui-message-chunk.ts';
export { decisionsFromUiMessages } from './ui-messages/decisions-from-ui-messages.ts';
export { toAgUi, toAgUiResponse } from './ag-ui/to-ag-ui.ts';
export type { AgUiOptions, AgUiResponseOptions } from './ag-ui/to-ag-ui.ts';
export type {
  AgUiAgentEvent,
  AgUiAttributable,
  AgUiEvent,
  AgUiInterrupt,
  AgUiRunFinished,
  AgUiUsage,
} from './ag-ui/ag-ui-event.ts';
export { decisionsFromAgUi } from './ag-ui/decisions-from-ag-ui.ts';
