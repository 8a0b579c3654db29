export { toResponse } from './http/to-response.ts';
export type { ToResponseOptions } from './http/to-response.ts';
export type { SseOptions } from './http/sse.ts';
export { resumeFrom } from './http/resume.ts';
export type { ResumePoint } from './http/resume.ts';
export { toTextResponse } from './http/to-text-response.ts';
export type { ToTextResponseOptions } from './http/to-text-response.ts';
export { clientEvents } from './client-view/client-events.ts';
export type { ClientEventsOptions } from './client-view/client-events.ts';
export type { ClientField } from './client-view/client-field.ts';
export type {
  ClientCall,
  ClientCallDelta,
  ClientDecidedCallEnd,
  ClientError,
  ClientEvent,
  ClientMessage,
  ClientCallResult,
  ClientPendingCall,
  ClientResult,
  ClientRunEnd,
  ClientStatus,
  ClientStreamEvent,
} from './client-view/client-event-types.ts';
export { decisionsFrom } from './approval/decisions.ts';
export type { ClientDecision } from './approval/decisions.ts';
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
