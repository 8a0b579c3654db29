import type { JsonValue } from './json.ts';
import type { ToolCall } from './tool.ts';

/** One message of a conversation. Never changed after it joined a history, so that encoders can cache per object. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Instructions for the model. A request holds them once, whatever brought them. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

/** What a person or a program says to the model. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly (TextPart | MediaPart)[];
}

/** What the model said: its text, reasoning and calls in the order in which they came. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (TextPart | ReasoningPart | ToolCall)[];
  /** Who wrote it. Vendor data in the parts goes back only to this vendor. */
  readonly provider?: ProviderTrace;
}

/** The result of one call, tied to it by `toolCallId`. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly name: string;
  readonly content: string | readonly (TextPart | MediaPart)[];
  /** Lets the model tell a failure; wires without a flag get a leading `Error:`. */
  readonly isError?: boolean;
}

/** Plain text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image, a sound or a file. Holds `data` or `url`, not both. */
export interface MediaPart {
  readonly type: 'image' | 'audio' | 'file';
  readonly mimeType: string;
  /** Base64, without a `data:` prefix. */
  readonly data?: string;
  /** An address that the vendor fetches itself. */
  readonly url?: string;
  /** A file name. */
  readonly name?: string;
}

/** What the model thought before it answered, as far as the vendor shows it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  /** Opaque data (a signature, encrypted thoughts) that goes back unchanged to the vendor that made it, and to no other. */
  readonly providerData?: JsonValue;
}

/** The vendor and the model that wrote a message. */
export interface ProviderTrace {
  readonly vendor: string;
  readonly model: string;
}

/** Why a reply ended, in one set for all vendors. With `length`, `filter` and `refusal` no call of the reply is runnable. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'filter' | 'refusal' | 'other';

/** Tokens of one reply or, summed, of a run. `inputTokens` includes cached ones, `outputTokens` includes reasoning. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Returns the text of a message: a string as it is, text parts joined without a separator; media, reasoning and calls are left out. */
export function textOf(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  let text = '';
  for (const part of message.content) if (part.type === 'text') text += part.text;
  return text;
}

/** Returns the calls of a message in order; empty for any role but `assistant`. */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  return message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [];
}

/** Returns the sum of two usages. An optional count is set as soon as one side has it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
  for (const key of ['cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    const total = (a[key] ?? 0) + (b[key] ?? 0);
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = total;
  }
  return sum;
}
