import {
  checkProvider,
  addUsage,
  checkFunctions,
  checkNumber,
  KernelError,
  type Message,
  type Provider,
  type ProviderRequest,
  textOf,
  toolCallsOf,
  type Usage,
  wrapProvider,
} from '@kernel/protocol';
import { digestPrefixes } from '../history/digest-history.ts';
import { freezeMessage } from '../history/messages.ts';
import { estimateTokens } from '../limits/estimate-tokens.ts';
import { completeUsage } from '../limits/usage-meter.ts';
import { storeError } from '../session/store-error.ts';
import { cutText, fitMessages, sizeOf } from './fit-messages.ts';

/** Writes the summary of a part of a history: its text, which costs nothing, or its text and what it cost; without `usage` that is estimated. */
export type Summarize = (
  messages: readonly Message[],
  request: ProviderRequest,
) => Promise<string | { readonly text: string; readonly usage?: Usage | undefined }>;

/** When and how a history is compacted. */
export interface CompactionOptions {
  /** The size, in estimated tokens, beyond which the history is compacted. */
  readonly maxTokens: number;
  /** How many tokens at the end of the history stay as they are. Default: a third of `maxTokens`. */
  readonly keepTokens?: number | undefined;
  /** Default: asks the wrapped provider, with the model of the request. */
  readonly summarize?: Summarize | undefined;
  /**
   * Where summaries are kept, by a digest of the messages that they replace. Pass a map of your own to share or save them. Default: one for this
   * provider, with the last 1,000 summaries. If one of its methods throws, the request throws `STORE_FAILED`.
   */
  readonly summaries?: Pick<Map<string, string>, 'get' | 'set'> | undefined;
}

const MAX_SUMMARIES = 1000;

/**
 * Wraps a provider so that a summary replaces the oldest messages of a request that grows too long. The history itself
 * stays whole.
 *
 * System prompts stay, and a call is never separated from its results. A summary belongs to the content of the messages
 * that it replaces: it is written once for them, in whatever conversation or process they come back, and reused until
 * the rest has grown too long again, so that the cached prefix stays. What writing it cost is added to the usage of the
 * reply, estimated where it was not reported; if there is no reply, to the next one through this provider. If writing a
 * summary fails, the request throws that error.
 *
 * The request that summarizes fits `maxTokens` itself: a longer part is summarized piece by piece. A result or prompt
 * that alone is too long is cut in its middle, with a line that says so, in the request only.
 */
export function withCompaction(provider: Provider, options: CompactionOptions): Provider {
  checkProvider('withCompaction', provider);
  checkNumber('withCompaction', 'maxTokens', options.maxTokens ?? null, 1);
  checkNumber('withCompaction', 'keepTokens', options.keepTokens, 0);
  checkFunctions('withCompaction', { summarize: options.summarize });
  const { maxTokens, keepTokens = Math.floor(maxTokens / 3) } = options;
  const summaries = options.summaries === undefined ? createSummaryCache() : checkedStore(options.summaries);
  const toMessage = createSummaryMessages();
  /** What summaries cost that no reply has reported yet. */
  let unreported: Usage | undefined;
  const onCost = (cost: Usage): void => {
    unreported = sum(unreported, cost);
  };
  const { summarize = summarizeWith(provider, maxTokens, onCost) } = options;
  return wrapProvider(provider, {
    async *stream(request) {
      const { messages, usage } = await compact(request);
      const events = provider.stream(messages === request.messages ? request : { ...request, messages });
      let cost = sum(unreported, usage);
      unreported = undefined;
      try {
        for await (const event of events) {
          if (event.type !== 'message-end' || cost === undefined) {
            yield event;
            continue;
          }
          const whole = addCost(completeUsage(event.usage, messages, event.message), cost);
          cost = undefined;
          yield { ...event, usage: whole };
        }
      } finally {
        unreported = sum(unreported, cost);
      }
    },
  });

  async function compact(
    request: ProviderRequest,
  ): Promise<{ readonly messages: readonly Message[]; readonly usage?: Usage | undefined }> {
    const system = request.messages.filter((message) => message.role === 'system');
    const whole = request.messages.filter((message) => message.role !== 'system');
    if (sizeOf(system) + sizeOf(whole) <= maxTokens) return request;
    const digests = digestPrefixes(whole);
    // The longest known prefix: a history that goes on has all the prefixes that it had before.
    let replaced = digests.length;
    while (replaced > 0 && summaries.get(digests[replaced - 1] ?? '') === undefined) replaced -= 1;
    const known = replaced === 0 ? undefined : summaries.get(digests[replaced - 1] ?? '');
    const messages = known === undefined ? whole : [toMessage(known), ...whole.slice(replaced)];
    const cut = cutIndex(messages, keepTokens);
    const old = messages.slice(0, cut);
    const isSmall = sizeOf(system) + sizeOf(messages) <= maxTokens;
    // The summary alone is not worth summarizing again.
    if (isSmall || cut === 0 || (known !== undefined && old.length === 1))
      return isSmall && known === undefined ? request : { messages: fit(system, messages) };
    const summary = await summarize(old, request);
    const { text } = typeof summary === 'string' ? { text: summary } : summary;
    const usage = typeof summary === 'string' ? undefined : completeUsage(summary.usage, old, toMessage(text));
    summaries.set(digests[whole.length - (messages.length - cut) - 1] ?? '', text);
    return { messages: fit(system, [toMessage(text), ...messages.slice(cut)]), usage };
  }

  function fit(system: readonly Message[], messages: readonly Message[]): readonly Message[] {
    return [...system, ...fitMessages(messages, maxTokens - sizeOf(system))];
  }
}

function checkedStore(
  store: NonNullable<CompactionOptions['summaries']>,
): Pick<Map<string, string>, 'get'> & { set(key: string, text: string): void } {
  return {
    get(key) {
      try {
        return store.get(key);
      } catch (error) {
        throw storeError('The summaries could not be read', error);
      }
    },
    set(key, text) {
      try {
        store.set(key, text);
      } catch (error) {
        throw storeError('The summary could not be kept', error);
      }
    },
  };
}

function createSummaryCache(): Pick<Map<string, string>, 'get' | 'set'> {
  const cache = new Map<string, string>();
  return {
    get: (key) => cache.get(key),
    set(key, text) {
      const [oldest] = cache.keys();
      if (cache.size >= MAX_SUMMARIES && oldest !== undefined) cache.delete(oldest);
      return cache.set(key, text);
    },
  };
}

/** Returns the same message object for the same text, so that encoders can reuse their work. */
function createSummaryMessages(): (text: string) => Message {
  let latest: { readonly text: string; readonly message: Message } | undefined;
  return (text) => {
    latest =
      latest?.text === text
        ? latest
        : { text, message: freezeMessage({ role: 'user', content: `Summary of the conversation so far:\n${text}` }) };
    return latest.message;
  };
}

/** Adds what summaries cost to the usage of a reply. A cost that is negative or not a number stays visible: no sum may hide it. */
function addCost(usage: Usage, cost: Usage): Usage {
  const isSound = cost.inputTokens >= 0 && cost.outputTokens >= 0;
  return isSound ? addUsage(usage, cost) : cost;
}

function sum(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  return a === undefined || b === undefined ? (a ?? b) : addCost(a, b);
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

/**
 * Summarizes in requests that fit `maxTokens` themselves: results are cut first, and what is still too long is
 * summarized part by part.
 */
function summarizeWith(provider: Provider, maxTokens: number, onCost: (cost: Usage) => void): Summarize {
  const ask = async (before: string, lines: string, { model, signal }: ProviderRequest): Promise<string> => {
    const request = {
      model,
      messages: [{ role: 'user', content: `${INSTRUCTION}${before}${lines}` }] as const,
      signal,
    };
    for await (const event of provider.stream(request)) {
      if (event.type !== 'message-end') continue;
      onCost(completeUsage(event.usage, request.messages, event.message));
      const text = textOf(event.message);
      if (text !== '') return text;
    }
    throw new KernelError('PROVIDER_PROTOCOL', `The provider "${provider.name}" gave no summary of the conversation.`);
  };
  return async (messages, request) => {
    const room = Math.max(1, maxTokens - tokensOf(INSTRUCTION));
    let before = '';
    let part = '';
    for (const message of fitMessages(messages, room)) {
      const line = `${cutText(toLine(message), room / 2)}\n`;
      if (part !== '' && tokensOf(before) + tokensOf(part) + tokensOf(line) > room) {
        before = `Summary of what came before: ${cutText(await ask(before, part, request), room / 4)}\n`;
        part = '';
      }
      part += line;
    }
    return ask(before, part, request);
  };
}

const INSTRUCTION =
  'Summarize this conversation for your own later use. Keep names, numbers, decisions, open questions and results.\n\n';

const tokensOf = (content: string): number => estimateTokens({ role: 'user', content });

function toLine(message: Message): string {
  const calls = toolCallsOf(message).map((call) => ` [calls ${call.name} ${call.arguments}]`);
  return `${message.role}: ${textOf(message)}${calls.join('')}`;
}
