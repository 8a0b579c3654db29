import type { JsonValue } from './json.ts';
import type { SuspendedCall } from './pending.ts';
import type { Citation, ServerToolCall, ServerToolResult } from './server-tool.ts';
import type { ToolCall } from './tool.ts';

/** One message of a conversation. A message never changes once it is part of a history, so that encoders can cache per object. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Instructions for the model. A request has them once. */
export interface SystemMessage {
  readonly role: 'system';
  /** The text of the instructions. */
  readonly content: string;
}

/** What a person or a program says to the model. */
export interface UserMessage {
  readonly role: 'user';
  /** Text, or text and media in order. */
  readonly content: string | readonly (TextPart | MediaPart)[];
}

/** What the model said. */
export interface AssistantMessage {
  readonly role: 'assistant';
  /** Its text, reasoning, media, calls, what the vendor ran itself, and opaque parts, in the order in which they arrived. */
  readonly content: readonly (
    | TextPart
    | MediaPart
    | ReasoningPart
    | ToolCall
    | ServerToolCall
    | ServerToolResult
    | OpaquePart
  )[];
  /** The author. Vendor data in the parts goes back only to this vendor. */
  readonly provider?: ProviderTrace;
  /**
   * The calls of this message that wait for a decision or for others that do, while they have no result. Never sent to a model API.
   *
   * It holds decisions, so a history from someone who must not decide goes through `repairHistory(messages, { untrusted: true })`.
   */
  readonly suspended?: readonly SuspendedCall[];
}

/** The result of one call. */
export interface ToolMessage {
  readonly role: 'tool';
  /** The id of the call. */
  readonly toolCallId: string;
  /** The name of the tool. */
  readonly name: string;
  /** Text for the model, or text and media in order. */
  readonly content: string | readonly (TextPart | MediaPart)[];
  /** Whether the call failed. APIs without such a flag get the prefix `Error:`. */
  readonly isError?: boolean;
}

/** Plain text. */
export interface TextPart {
  readonly type: 'text';
  /** The text. */
  readonly text: string;
  /** The sources of what the text says, as far as the vendor names them. */
  readonly citations?: readonly Citation[];
  /** The citations as they were received. They go back unchanged to the vendor that made them, and to no other. */
  readonly providerData?: JsonValue;
}

/** An image, audio or a file, as `data`, `url` or `id`. */
export interface MediaPart {
  /** The kind of media. */
  readonly type: 'image' | 'audio' | 'file';
  /** The media type, such as `image/png`. */
  readonly mimeType: string;
  /** Base64, without a `data:` prefix. */
  readonly data?: string;
  /** An address that the vendor fetches itself. */
  readonly url?: string;
  /**
   * The vendor's name for a file that was uploaded to it, such as `file_123`: used where the wire takes files by id, in place of `data` and `url`.
   * Another vendor knows nothing of it, so give it to one vendor only.
   */
  readonly id?: string;
  /** A file name. */
  readonly name?: string;
  /** The words of a recording that a model has spoken: text of its message, also for vendors and programs that do not accept audio. */
  readonly transcript?: string;
  /** What names the part to the vendor that made it. It goes back to this vendor, and to no other. */
  readonly providerData?: JsonValue;
}

/** What the model thought before it answered, as far as the vendor shows it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  /** The visible text; may be empty. */
  readonly text: string;
  /** Opaque data (a signature, encrypted reasoning) that goes back unchanged to the vendor that made it, and to no other. */
  readonly providerData?: JsonValue;
}

/**
 * A part of a reply that only its vendor understands, such as a compacted history. Nothing in it is ever run.
 */
export interface OpaquePart {
  readonly type: 'opaque';
  /** The vendor's own name for this kind of part, such as `server_tool_use`. */
  readonly kind: string;
  /** The part as it was received. It goes back unchanged to the vendor that made it, and to no other. */
  readonly providerData: JsonValue;
}

/** The vendor and the model that wrote a message. */
export interface ProviderTrace {
  /** The vendor's name, such as `anthropic`. */
  readonly vendor: string;
  /** The model's name, as requested. */
  readonly model: string;
}

/** Tokens of one reply or, summed, of a run. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly inputTokens: number;
  /** All output tokens, reasoning included. */
  readonly outputTokens: number;
  /** The input tokens that were read from the vendor's cache. */
  readonly cachedInputTokens?: number;
  /** The input tokens that were written to the vendor's cache. */
  readonly cacheWriteTokens?: number;
  /** The output tokens of reasoning. */
  readonly reasoningTokens?: number;
  /**
   * How often the vendor ran each of its own tools, by its name for the tool; it may charge for them. As the vendor counts, otherwise the number of
   * calls in the reply.
   */
  readonly serverToolCalls?: Readonly<Record<string, number>>;
}

/** How many tokens a request has. */
export interface TokenCount {
  /** The tokens of messages, system prompt and tools. */
  readonly inputTokens: number;
}

/**
 * Returns the text of a message: a string as it is, text parts and transcripts of what a model spoke joined without a separator, nothing of other
 * media, reasoning, calls and opaque parts.
 */
export function textOf(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  let text = '';
  for (const part of message.content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'audio') text += part.transcript ?? '';
  }
  return text;
}

/** Returns the calls of a message in order; an empty list for any role but `assistant`. */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  if (message.role === 'assistant') for (const part of message.content) if (part.type === 'tool-call') calls.push(part);
  return calls;
}

const OPTIONAL_COUNTS = ['cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;

/** Returns the sum of two usages. An optional count is set if at least one side has it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
  for (const key of OPTIONAL_COUNTS)
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0);
  if (a.serverToolCalls !== undefined || b.serverToolCalls !== undefined)
    sum.serverToolCalls = addCounts(a.serverToolCalls ?? {}, b.serverToolCalls ?? {});
  return sum;
}

function addCounts(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sums = new Map(Object.entries(a));
  for (const [name, count] of Object.entries(b)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}
