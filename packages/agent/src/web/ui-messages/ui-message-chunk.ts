import type { JsonValue, Usage } from '@kernel/protocol';

/** Part of a message of the AI SDK's `useChat`: what this package sends of its UI message stream, version 1. */
export type UiMessageChunk =
  | { readonly type: 'start'; readonly messageId?: string }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'tool-input-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | UiToolInput
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: JsonValue;
      readonly providerExecuted?: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted?: true;
    }
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | {
      readonly type: 'tool-approval-request';
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly isAutomatic?: true;
    }
  | { readonly type: 'tool-approval-response'; readonly approvalId: string; readonly approved: boolean }
  | UiDataChunk
  | {
      readonly type: 'finish';
      readonly finishReason: UiFinishReason;
      readonly messageMetadata?: { readonly usage: Usage };
    }
  | { readonly type: 'abort' }
  | { readonly type: 'error'; readonly errorText: string };

/** The input of a call, whole, or the reason why the call never ran. */
export type UiToolInput =
  | {
      readonly type: 'tool-input-available';
      /** The id of the call. */
      readonly toolCallId: string;
      /** The name of the tool. */
      readonly toolName: string;
      /** The arguments. */
      readonly input: JsonValue;
      /** Whether the vendor runs the tool itself. */
      readonly providerExecuted?: true;
    }
  | {
      readonly type: 'tool-input-error';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      readonly errorText: string;
    };

/** Data of an application: the typed answer so far, and what has no part of its own in the protocol. */
export interface UiDataChunk {
  /** `data-output` is the typed answer. The others are transient and in no message: what a tool reports, and events of sub-agents. */
  readonly type: 'data-output' | 'data-tool-progress' | 'data-sub-agent';
  /** The part that the data replaces. */
  readonly id?: string;
  /** The data. */
  readonly data: unknown;
  /** Whether the data is transient. */
  readonly transient?: true;
}

/** Why a message ended, in the words of the AI SDK. */
export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
