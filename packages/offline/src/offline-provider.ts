import {
  type AssistantMessage,
  KernelError,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type Tool,
  toolCallsOf,
} from '@kernel/protocol';
import { refusal, writeAnswer } from './answer/answer.ts';
import { type Candidate, candidateOf } from './matching/match-words.ts';
import { memoize } from './memoize.ts';
import type { ToolPhrase } from './phrases/match-phrase.ts';
import { planCalls, readAsk } from './planning/plan-calls.ts';

/** The options of `offlineProvider`. */
export interface OfflineConfig {
  /** The current time that `today` and `tomorrow` refer to, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** By the name of a tool, requests that are calls of it word by word. Default: none. */
  readonly phrases?: Readonly<Record<string, readonly ToolPhrase[]>> | undefined;
}

/**
 * Creates a provider that needs no model: it compares the prompt with each tool's own words, fills the arguments by their schema,
 * asks for the calls, and answers from their results. It knows no tool by name, opens no socket and reports no usage. It runs tools with effect
 * `read` alone, and refuses a prompt with a negation, an exception or a condition, and one of which a part fits no tool.
 *
 * Throws `PROVIDER_REFUSED` if no tool on offer fits the prompt, `TOOL_FAILED` if one of its calls failed, and `PROVIDER_UNSUPPORTED` for
 * a `responseFormat`.
 *
 * @example
 * ```ts
 * import { collect, run } from '@kernel/agent';
 * import { offlineProvider } from '@kernel/offline';
 * import { bindTool, createRegistry } from '@kernel/tools';
 *
 * const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
 * const weather = { name: 'weather', description: 'Tells the weather in a city.', effect: 'read', parameters } as const;
 * const tools = createRegistry([bindTool<{ readonly city: string }>(weather, ({ city }) => `Sunny in ${city}.`)]);
 * const messages = [{ role: 'user', content: 'What is the weather in Lisbon?' }] as const;
 * await collect(run({ provider: offlineProvider(), model: 'offline', messages, tools })); // Sunny in Lisbon.
 * ```
 */
export function offlineProvider(config: OfflineConfig = {}): Provider {
  const now = config.now ?? Date.now;
  const candidate = memoize((tool: Tool) => candidateOf(tool, config.phrases ?? {}));
  // Nobody can be asked what a prompt meant, so that nothing is run that could do harm.
  const candidatesOf = memoize((tools: readonly Tool[]) =>
    tools.filter(({ effect }) => effect === 'read').map(candidate),
  );
  return {
    name: 'offline',
    // The port is asynchronous; nothing here waits.
    async *stream(request) {
      request.signal?.throwIfAborted();
      const message = reply(request, candidatesOf(request.tools ?? NO_TOOLS), now());
      for (const event of eventsOf(message, request.stream ?? true)) {
        yield event;
        request.signal?.throwIfAborted();
      }
      const finishReason = toolCallsOf(message).length > 0 ? 'tool-calls' : 'stop';
      yield { type: 'message-end', message, finishReason };
    },
  };
}

const NO_TOOLS: readonly Tool[] = Object.freeze([]);

function reply(request: ProviderRequest, offered: readonly Candidate[], now: number): AssistantMessage {
  const { messages, model, responseFormat, toolChoice } = request;
  if (responseFormat !== undefined) {
    throw new KernelError('PROVIDER_UNSUPPORTED', 'Offline has no language model and gives no answer in a JSON form.', {
      hint: 'Leave responseFormat out, or use a model.',
    });
  }
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const ask = readAsk(messages[asked]);
  const plan = planCalls(ask, chosen(request, offered), now);
  const provider = { vendor: 'offline', model };
  const results = messages.slice(asked + 1).filter((message) => message.role === 'tool');
  if (results.length > 0) {
    return { role: 'assistant', content: [{ type: 'text', text: writeAnswer(results, messages, plan) }], provider };
  }
  if (plan.calls.length === 0 || plan.unmatched !== '' || toolChoice === 'none')
    throw refusal(ask, toolChoice === 'none' ? [] : offered, plan);
  const content = plan.calls.map(
    ({ tool, input }, index) =>
      ({ type: 'tool-call', id: `offline-${index + 1}`, name: tool.name, arguments: JSON.stringify(input) }) as const,
  );
  return { role: 'assistant', content, provider };
}

function chosen(
  { toolChoice, tools = NO_TOOLS }: ProviderRequest,
  offered: readonly Candidate[],
): readonly Candidate[] {
  if (typeof toolChoice !== 'object') return offered;
  if (tools.some(({ name }) => name === toolChoice.name))
    return offered.filter(({ tool }) => tool.name === toolChoice.name);
  throw new KernelError(
    'TOOL_NOT_FOUND',
    `toolChoice names "${toolChoice.name}", which is not among the tools offered.`,
    {
      hint: `Offered: ${tools.map(({ name }) => name).join(', ') || 'none'}.`,
    },
  );
}

function* eventsOf(message: AssistantMessage, isStreamed: boolean): Generator<ProviderEvent> {
  for (const [index, part] of message.content.entries()) {
    if (part.type === 'tool-call') {
      yield { type: 'tool-call-delta', index, id: part.id, name: part.name, arguments: part.arguments };
    } else if (part.type === 'text') {
      const pieces = isStreamed ? (part.text.match(/[^\n]*\n|[^\n]+$/g) ?? []) : [part.text];
      for (const text of pieces) yield { type: 'text-delta', text };
    }
  }
}
