import { randomUUID } from 'node:crypto';
import type { ModelConfig } from '@kernel/agent/config';
import { terminalText } from '@kernel/internal';
import { type AgentEvent, KernelError, type MediaPart, type RunEnd, toolCallsOf, type Usage } from '@kernel/protocol';
import {
  type ContentBlock,
  RequestError,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { costOf } from '@kernel/providers';
import { errorNote } from '../../exit-code.ts';
import { whyNoAnswer } from '../../run-ends.ts';
import { callIdOf, type ToolCalls } from './tool-calls.ts';

/** Sends an update of a session. Resolves when the editor may be sent more. */
export type SendUpdate = (update: SessionUpdate) => Promise<void>;

/** Shows the events of a turn in an editor, as they come. The text of a reply that is withdrawn cannot be taken back: the next one is another message. */
export function createTurnView(send: SendUpdate, calls: ToolCalls) {
  let messageId = randomUUID();
  /** The calls of the reply so far, by their positions. */
  const begun = new Map<number, { id?: string | undefined; name?: string | undefined }>();

  const say = (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', content: ContentBlock): Promise<void> =>
    send({ sessionUpdate, messageId, content });
  const endReply = (): void => {
    messageId = randomUUID();
    begun.clear();
  };

  const showInner = async ({ path, event }: Extract<AgentEvent, { type: 'sub-agent-event' }>): Promise<void> => {
    // Names and ids of agents and their calls, in turn.
    const ids = path.filter((_, index) => index % 2 === 1);
    if (event.type === 'text-delta') calls.progress(ids.join('/'), event.text);
    else if (event.type === 'approval-request') calls.asked(callIdOf(ids, event.call.id));
    else if (event.type === 'tool-start') calls.start(callIdOf(ids, event.call.id), event.call);
    else if (event.type === 'tool-progress') calls.progress(callIdOf(ids, event.callId), event.update);
    else if (event.type === 'tool-end') calls.end(callIdOf(ids, event.call.id), event.call, event.result);
  };

  return async (event: AgentEvent): Promise<void> => {
    switch (event.type) {
      case 'text-delta':
        if (event.text !== '') await say('agent_message_chunk', textBlock(event.text));
        return;
      case 'reasoning-delta':
        if (event.text !== '') await say('agent_thought_chunk', textBlock(event.text));
        return;
      case 'tool-call-delta': {
        const call = begun.get(event.index) ?? {};
        begun.set(event.index, call);
        call.id ??= event.id;
        call.name ??= event.name;
        if (call.id !== undefined && call.name !== undefined) calls.begin(callIdOf([], call.id), call.name);
        return;
      }
      case 'message-end': {
        const made = toolCallsOf(event.message);
        for (const call of made) calls.describe(callIdOf([], call.id), call);
        calls.drop('The model did not finish this call.', new Set(made.map(({ id }) => callIdOf([], id))));
        for (const part of event.message.content)
          if (part.type === 'image' || part.type === 'audio') await showMedia(part, say);
        endReply();
        return;
      }
      case 'reply-withdrawn':
        calls.drop('The reply broke off, and is asked for again.');
        endReply();
        return;
      case 'server-tool-call': {
        const call = { type: 'tool-call' as const, id: event.id, name: event.name, arguments: event.arguments };
        calls.start(callIdOf([], event.id), call);
        return;
      }
      case 'server-tool-result': {
        const call = { type: 'tool-call' as const, id: event.callId, name: event.name, arguments: '{}' };
        calls.end(callIdOf([], event.callId), call, {
          forLLM: event.text,
          ...(event.isError === true && { isError: true }),
        });
        return;
      }
      case 'approval-request':
        calls.asked(callIdOf([], event.call.id));
        return;
      case 'tool-start':
        calls.start(callIdOf([], event.call.id), event.call);
        return;
      case 'tool-progress':
        calls.progress(callIdOf([], event.callId), event.update);
        return;
      case 'tool-end':
        calls.end(callIdOf([], event.call.id), event.call, event.result);
        return;
      case 'sub-agent-event':
        await showInner(event);
        return;
      default:
    }
  };
}

/** An image or a recording of a reply. */
async function showMedia(
  { type, data, mimeType }: MediaPart,
  say: (kind: 'agent_message_chunk', content: ContentBlock) => Promise<void>,
): Promise<void> {
  if (data !== undefined && type !== 'file') await say('agent_message_chunk', { type, data, mimeType });
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text: terminalText(text) };
}

/** How a run ended, as the answer to a prompt. Throws the error of a run that failed; why another one has no answer is said as a message. */
export async function toResponse(end: RunEnd, send: SendUpdate): Promise<PromptResponse> {
  if (end.reason === 'error') throw toRequestError(end.error);
  const why = end.reason === 'aborted' ? undefined : whyNoAnswer(end);
  if (why !== undefined)
    await send({ sessionUpdate: 'agent_message_chunk', content: textBlock(why.replace(/^prompt-agent: /, '')) });
  return { stopReason: stopReasonOf(end), usage: toUsage(end.usage) };
}

/** What the context of the model holds after a turn, and what the session has cost; undefined where the size of the context is not known, by which clients divide. */
export function usageUpdate(
  { usage: { inputTokens: used } }: RunEnd,
  total: Usage,
  { contextTokens: size, prices }: Pick<ModelConfig, 'contextTokens' | 'prices'>,
): SessionUpdate | undefined {
  if (size === undefined) return undefined;
  const cost = prices && { amount: costOf(total, prices), currency: 'USD' };
  return { sessionUpdate: 'usage_update', used, size, ...(cost !== undefined && { cost }) };
}

function stopReasonOf({ reason }: RunEnd): PromptResponse['stopReason'] {
  switch (reason) {
    case 'aborted':
      return 'cancelled';
    case 'length':
      return 'max_tokens';
    case 'limit':
      return 'max_turn_requests';
    case 'filtered':
      return 'refusal';
    default:
      return 'end_turn';
  }
}

function toUsage({ inputTokens, outputTokens, reasoningTokens, cachedInputTokens, cacheWriteTokens }: Usage) {
  return {
    totalTokens: inputTokens + outputTokens,
    inputTokens,
    outputTokens,
    ...(reasoningTokens !== undefined && { thoughtTokens: reasoningTokens }),
    ...(cachedInputTokens !== undefined && { cachedReadTokens: cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { cachedWriteTokens: cacheWriteTokens }),
  };
}

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** An error as the protocol has it: its message with the hint, and its code. A vendor that refuses the key is `auth_required`. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const message = errorNote(error)
    .replace(/^prompt-agent: /, '')
    .replaceAll('\n', ' ');
  if (!KernelError.is(error)) return new RequestError(INTERNAL_ERROR, message);
  const status = error.data?.['status'];
  if (error.code === 'PROVIDER_HTTP' && (status === 401 || status === 403))
    return RequestError.authRequired({ code: error.code }, message);
  return new RequestError(error.code === 'CONFIG_INVALID' ? INVALID_PARAMS : INTERNAL_ERROR, message, {
    code: error.code,
  });
}
