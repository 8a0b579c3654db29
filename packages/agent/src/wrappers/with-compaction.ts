import { KernelError, type Message, type Provider, type ProviderRequest, textOf, toolCallsOf } from '@kernel/protocol';
import { freezeMessage } from '../history/messages.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** Makes the text that stands for a piece of history. */
export type Summarise = (messages: readonly Message[], request: ProviderRequest) => Promise<string>;

/** When and how a history is compacted. */
export interface CompactionOptions {
  /** The size, in estimated tokens, from which on the history is compacted. */
  readonly maxTokens: number;
  /** How much of it stays as it is, at the end. Default: a third of `maxTokens`. */
  readonly keepTokens?: number | undefined;
  /** Default: asks the wrapped provider, with the request's model. */
  readonly summarise?: Summarise | undefined;
}

/** A summary and the last message that it stands for. */
interface Summary {
  readonly upTo: Message;
  readonly message: Message;
}

/**
 * Sends a summary in the place of the oldest messages when a request grows too long. The history itself stays whole.
 *
 * System prompts stay. A call is never parted from its results. A summary is made once and used, as the same object, until the rest has
 * grown too long again, so that the cached prefix stays. A summary that cannot be made throws the provider's error.
 */
export function withCompaction(provider: Provider, options: CompactionOptions): Provider {
  const { maxTokens, keepTokens = Math.floor(maxTokens / 3), summarise = askFor(provider) } = options;
  let latest: Summary | undefined;
  return {
    ...provider,
    async *stream(request) {
      const compacted = await compact(request);
      yield* provider.stream(compacted === request.messages ? request : { ...request, messages: compacted });
    },
  };

  async function compact(request: ProviderRequest): Promise<readonly Message[]> {
    const system = request.messages.filter((message) => message.role === 'system');
    const rest = applied(
      latest,
      request.messages.filter((message) => message.role !== 'system'),
    );
    const size = sizeOf(system) + sizeOf(rest.messages);
    if (size <= maxTokens) return rest.isApplied ? [...system, ...rest.messages] : request.messages;
    const cut = cutBefore(rest.messages, keepTokens);
    const old = rest.messages.slice(0, cut);
    const upTo = old.at(-1);
    if (upTo === undefined || (rest.isApplied && old.length === 1))
      return rest.isApplied ? [...system, ...rest.messages] : request.messages;
    const text = await summarise(old, request);
    const message = freezeMessage({ role: 'user', content: `Summary of the conversation so far:\n${text}` });
    latest = { upTo: rest.isApplied && old.length === 1 ? (latest?.upTo ?? upTo) : upTo, message };
    return [...system, message, ...rest.messages.slice(cut)];
  }
}

/** The messages with the summary in the place of those that it stands for, if it is theirs. */
function applied(
  summary: Summary | undefined,
  messages: readonly Message[],
): { readonly messages: readonly Message[]; readonly isApplied: boolean } {
  const at = summary === undefined ? -1 : messages.indexOf(summary.upTo);
  if (summary === undefined || at === -1) return { messages, isApplied: false };
  return { messages: [summary.message, ...messages.slice(at + 1)], isApplied: true };
}

/** The index of the first message to keep: as many from the end as fit, never beginning with a result. */
function cutBefore(messages: readonly Message[], keepTokens: number): number {
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

function askFor(provider: Provider): Summarise {
  return async (messages, { model, signal }) => {
    const content = `Summarise this conversation for your own later use. Keep names, numbers, decisions, open questions and results.\n\n${messages.map(toLines).join('\n')}`;
    const request = { model, messages: [{ role: 'user', content }] as const, signal };
    for await (const event of provider.stream(request)) {
      if (event.type !== 'message-end') continue;
      const text = textOf(event.message);
      if (text !== '') return text;
    }
    throw new KernelError('PROVIDER_PROTOCOL', `The provider "${provider.name}" gave no summary of the conversation.`);
  };
}

function toLines(message: Message): string {
  const calls = toolCallsOf(message).map((call) => ` [calls ${call.name} ${call.arguments}]`);
  return `${message.role}: ${textOf(message)}${calls.join('')}`;
}
