import { KernelError, type Message, type Provider, type ProviderRequest, textOf, toolCallsOf } from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** Writes the summary of a part of a history. */
export type Summarize = (messages: readonly Message[], request: ProviderRequest) => Promise<string>;

/** When and how a history is compacted. */
export interface CompactionOptions {
  /** The size, in estimated tokens, beyond which the history is compacted. */
  readonly maxTokens: number;
  /** How many tokens at the end of the history stay as they are. Default: a third of `maxTokens`. */
  readonly keepTokens?: number | undefined;
  /** Default: asks the wrapped provider, with the model of the request. */
  readonly summarize?: Summarize | undefined;
}

/** A summary. */
interface Summary {
  /** The last of the messages that it replaces. */
  readonly upTo: Message;
  readonly message: Message;
}

/**
 * Wraps a provider so that a summary replaces the oldest messages of a request that grows too long. The history itself stays whole.
 *
 * System prompts stay, and a call is never separated from its results. A summary is written once and reused, as the same object, until the
 * rest has grown too long again, so that the cached prefix stays. If writing a summary fails, the request throws that error.
 */
export function withCompaction(provider: Provider, options: CompactionOptions): Provider {
  const { maxTokens, keepTokens = Math.floor(maxTokens / 3), summarize = summarizeWith(provider) } = options;
  let latest: Summary | undefined;
  return {
    ...provider,
    async *stream(request) {
      const messages = await compact(request);
      yield* provider.stream(messages === request.messages ? request : { ...request, messages });
    },
  };

  async function compact(request: ProviderRequest): Promise<readonly Message[]> {
    const system = request.messages.filter((message) => message.role === 'system');
    const { messages, isApplied } = applySummary(
      latest,
      request.messages.filter((message) => message.role !== 'system'),
    );
    const unchanged = (): readonly Message[] => (isApplied ? [...system, ...messages] : request.messages);
    if (sizeOf(system) + sizeOf(messages) <= maxTokens) return unchanged();
    const cut = cutIndex(messages, keepTokens);
    const old = messages.slice(0, cut);
    const upTo = old.at(-1);
    // The summary alone is not worth summarizing again.
    if (upTo === undefined || (isApplied && old.length === 1)) return unchanged();
    const text = await summarize(old, request);
    const message = freezeMessage({ role: 'user', content: `Summary of the conversation so far:\n${text}` });
    latest = { upTo, message };
    return [...system, message, ...messages.slice(cut)];
  }
}

/** The messages with the summary in place of those that it replaces, if they are among them. */
function applySummary(
  summary: Summary | undefined,
  messages: readonly Message[],
): { readonly messages: readonly Message[]; readonly isApplied: boolean } {
  const index = summary === undefined ? -1 : messages.indexOf(summary.upTo);
  if (summary === undefined || index === -1) return { messages, isApplied: false };
  return { messages: [summary.message, ...messages.slice(index + 1)], isApplied: true };
}

/** The index of the first message to keep: as many from the end as fit, never beginning with a result. */
function cutIndex(messages: readonly Message[], keepTokens: number): number {
  let cut = messages.length;
  let size = 0;
  while (cut > 0) {
    const message = messages[cut - 1];
    size += message === undefined ? 0 : estimateTokens(message);
    if (size > keepTokens) break;
    cut -= 1;
  }
  // At least the last exchange stays, and results stay with their calls.
  cut = Math.min(cut, messages.length - 1);
  while (cut > 0 && messages[cut]?.role === 'tool') cut -= 1;
  return cut;
}

function sizeOf(messages: readonly Message[]): number {
  let size = 0;
  for (const message of messages) size += estimateTokens(message);
  return size;
}

function summarizeWith(provider: Provider): Summarize {
  return async (messages, { model, signal }) => {
    const content = `Summarize this conversation for your own later use. Keep names, numbers, decisions, open questions and results.\n\n${messages.map(toLine).join('\n')}`;
    const request = { model, messages: [{ role: 'user', content }] as const, signal };
    for await (const event of provider.stream(request)) {
      if (event.type !== 'message-end') continue;
      const text = textOf(event.message);
      if (text !== '') return text;
    }
    throw new KernelError('PROVIDER_PROTOCOL', `The provider "${provider.name}" gave no summary of the conversation.`);
  };
}

function toLine(message: Message): string {
  const calls = toolCallsOf(message).map((call) => ` [calls ${call.name} ${call.arguments}]`);
  return `${message.role}: ${textOf(message)}${calls.join('')}`;
}
