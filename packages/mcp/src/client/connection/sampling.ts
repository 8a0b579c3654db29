import { createLock, visibleText } from '@kernel/internal';
import {
  KernelError,
  type MediaPart,
  type Message,
  type ModelOptions,
  type Provider,
  textOf,
  type TextPart,
  type Usage,
} from '@kernel/protocol';
import type { CreateMessageRequest, CreateMessageResult } from '@modelcontextprotocol/client';
import type { AskClock } from '../calls/call-clock.ts';
import { INVALID_PARAMS, rpcError } from '../../json-rpc.ts';

/** Lets servers ask a model, within limits that hold for each server by itself. The user pays. */
export interface McpSampling {
  /** Where the model is asked. */
  readonly provider: Provider;
  /** The name of the model; what a server prefers does not count. */
  readonly model: string;
  /** Decides on each request, which is not sent unless it returns true: show the user its texts. */
  readonly approve: (request: McpSamplingRequest) => boolean | Promise<boolean>;
  /** What one server may use. */
  readonly limits?: McpSamplingLimits | undefined;
}

/** What one server may use of a model, for as long as the toolset is open. */
export interface McpSamplingLimits {
  /** How many replies. Default 10. */
  readonly calls?: number | undefined;
  /** How many tokens in all, in and out, as the provider counts them, or a quarter of the characters where it does not. Default 100,000. */
  readonly tokens?: number | undefined;
  /** How many tokens a reply may have at most; a server may ask for fewer. Default 4096. */
  readonly maxTokens?: number | undefined;
  /** How much in all, in the currency of `price`, which it needs. Default: no limit. */
  readonly cost?: number | undefined;
  /** What a million tokens cost. */
  readonly price?:
    | {
        /** Of those that are sent. */
        readonly input: number;
        /** Of those that the model writes. */
        readonly output: number;
      }
    | undefined;
}

/** What a server wants to ask the model. */
export interface McpSamplingRequest {
  /** The name of the server in the config. */
  readonly server: string;
  /** What would be sent, exactly. */
  readonly messages: readonly Message[];
  /** How many tokens the reply may have. */
  readonly maxTokens: number;
  /** What the server has used so far. */
  readonly used: {
    /** How many replies. */
    readonly calls: number;
    /** How many tokens, in and out. */
    readonly tokens: number;
    /** How much they cost; 0 without a price. */
    readonly cost: number;
  };
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** MCP's code for a request that the user has refused. */
const REFUSED = -1;
const LIMIT_REACHED = -32_000;

/** Answers `sampling/createMessage` of one server, over all of its connections. */
export type AnswerSampling = (
  params: CreateMessageRequest['params'],
  signal: AbortSignal,
  clock: AskClock,
) => Promise<CreateMessageResult>;

/**
 * Creates what answers one server: one request after the other, so that each is held against what those before have used. The texts are the server's own: neither tools nor
 * the conversation of the user are sent with them.
 */
export function createSampling(server: string, sampling: McpSampling): AnswerSampling {
  const { provider, model, approve, limits = {} } = sampling;
  const { calls = 10, tokens = 100_000, cost = Infinity, price = { input: 0, output: 0 } } = limits;
  const used = { calls: 0, tokens: 0, cost: 0 };
  const lock = createLock();

  async function reply(messages: readonly Message[], options: ModelOptions, signal: AbortSignal) {
    const stopped = new AbortController();
    const either = AbortSignal.any([signal, stopped.signal]);
    try {
      for await (const event of provider.stream({ model, messages, signal: either, options }))
        if (event.type === 'message-end') return event;
      throw rpcError(LIMIT_REACHED, 'the model gave no reply');
    } finally {
      stopped.abort();
    }
  }

  async function answer(...[params, signal, clock]: Parameters<AnswerSampling>): Promise<CreateMessageResult> {
    signal.throwIfAborted();
    if (params.tools !== undefined) throw rpcError(INVALID_PARAMS, 'tools are not offered to servers');
    const messages = messagesOf(params);
    if (used.calls >= calls || used.tokens >= tokens || used.cost >= cost)
      throw rpcError(LIMIT_REACHED, `this server may not ask the model any more (${describe(used)})`);
    const maxTokens = Math.min(params.maxTokens, limits.maxTokens ?? 4096, tokens - used.tokens);
    const request = { server, messages, maxTokens, used: { ...used }, signal };
    used.calls += 1;
    if (!(await clock.ask(() => approve(request)))) throw rpcError(REFUSED, 'the user has refused the request');
    const { temperature, stopSequences: stop } = params;
    const { message, finishReason, usage } = await reply(messages, { maxTokens, temperature, stop }, signal);
    const text = textOf(message);
    const { inputTokens, outputTokens } = usage ?? estimate(messages, text);
    used.tokens += inputTokens + outputTokens;
    used.cost += (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
    const stopReason = finishReason === 'length' ? 'maxTokens' : 'endTurn';
    return { role: 'assistant', model, content: { type: 'text', text }, stopReason };
  }
  return (...request) => lock(() => answer(...request));
}

export function checkSampling({ limits = {} }: McpSampling): void {
  const { price, ...numbers } = limits;
  for (const [name, value] of Object.entries({ ...numbers, ...price }))
    if (value !== undefined && !(value >= 0))
      throw new KernelError(
        'CONFIG_INVALID',
        `sampling.limits.${name} must be a number of at least 0, not ${String(value)}.`,
      );
  if (numbers.cost !== undefined && price === undefined)
    throw new KernelError('CONFIG_INVALID', 'sampling.limits.cost needs sampling.limits.price.');
}

function messagesOf({ systemPrompt, messages }: CreateMessageRequest['params']): readonly Message[] {
  const converted = messages.map(({ role, content }): Message => {
    const parts = (Array.isArray(content) ? content : [content]).map((block): TextPart | MediaPart => {
      if (block.type === 'text') return { type: 'text', text: visibleText(block.text) };
      if (block.type === 'image' || block.type === 'audio')
        return { type: block.type, mimeType: block.mimeType, data: block.data };
      throw rpcError(INVALID_PARAMS, `content of the type ${block.type} is not sent to the model`);
    });
    if (role === 'user') return { role, content: parts };
    return { role, content: parts };
  });
  return systemPrompt === undefined
    ? converted
    : [{ role: 'system', content: visibleText(systemPrompt) }, ...converted];
}

function estimate(messages: readonly Message[], text: string): Usage {
  const length = messages.reduce((sum, message) => sum + textOf(message).length, 0);
  return { inputTokens: Math.ceil(length / 4), outputTokens: Math.ceil(text.length / 4) };
}

function describe({ calls, tokens, cost }: { calls: number; tokens: number; cost: number }): string {
  return `${calls} replies, ${tokens} tokens${cost === 0 ? '' : `, ${cost.toFixed(4)}`}`;
}
