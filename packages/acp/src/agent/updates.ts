import { isObject, type StreamRedactor, truncate } from '@kernel/internal';
import { KernelError, type ServerToolCall, type ServerToolResult } from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';
import { type Fields, type OwnCall, sizeOf, textOfBlock, toServerCall, withFields } from './own-call.ts';
import type { AgentTask } from './task.ts';
import { isCount, isOverBudget } from './usage.ts';

/** What the agent says and does within its turn, in order. */
export type AgentOutput = { readonly type: 'text' | 'reasoning'; text: string } | ServerToolCall | ServerToolResult;

interface UpdatesUse {
  readonly emit: (output: AgentOutput) => void;
  /** The output of a terminal, by its id. */
  readonly outputOf: (terminal: string) => string;
}

const MAX_CALLS = 10_000;
const MAX_PLAN = 50;

/** What is read of the updates of a session. */
export type Updates = ReturnType<typeof createUpdates>;

/** Reads the updates of one session. Nothing in them is trusted to have the form that the protocol says. */
export function createUpdates(
  { limits }: CheckedOptions,
  { redactor, onProgress }: AgentTask,
  { emit, outputOf }: UpdatesUse,
) {
  const calls = new Map<string, OwnCall>();
  const ended = new Set<string>();
  let characters = 0;
  let used: number | undefined;
  let plan = '';
  let speaking: { readonly type: 'text' | 'reasoning'; readonly stream: StreamRedactor } | undefined;

  const count = (length: number): void => {
    characters += length;
    if (characters > limits.textCharacters)
      throw new KernelError('LIMIT_REACHED', `The agent said more than ${limits.textCharacters} characters.`, {
        hint: 'limits.textCharacters allows more.',
      });
  };
  /** Says what was held back, because it could have been the beginning of a secret. */
  const flush = (): void => {
    const { type, stream } = speaking ?? {};
    speaking = undefined;
    const text = stream?.end() ?? '';
    if (type !== undefined && text !== '') emit({ type, text });
  };
  const addText = (type: 'text' | 'reasoning', content: unknown): void => {
    const text = textOfBlock(content);
    count(text.length);
    if (text === '') return;
    if (speaking?.type !== type) flush();
    speaking ??= { type, stream: redactor.stream() };
    const clean = speaking.stream.push(text);
    if (clean !== '') emit({ type, text: clean });
  };
  const addCall = (fields: Fields): void => {
    const { toolCallId: id, status } = fields;
    if (typeof id !== 'string' || ended.has(id)) return;
    const known = calls.get(id);
    if (calls.size >= MAX_CALLS)
      throw new KernelError('LIMIT_REACHED', `The agent made more than ${MAX_CALLS} calls of its own tools.`);
    const call = withFields(known, fields);
    count(Math.max(0, sizeOf(call) - sizeOf(known)));
    calls.set(id, call);
    if (known === undefined && call.title !== '') onProgress(truncate(call.title, 200));
    if (status !== 'completed' && status !== 'failed') return;
    ended.add(id);
    calls.set(id, { ...call, input: undefined, output: undefined, content: [], targets: undefined });
    flush();
    for (const part of toServerCall(id, call, { isError: status === 'failed', outputOf })) emit(redactor.data(part));
  };
  const addPlan = (entries: unknown): void => {
    const text = describePlan(entries);
    if (text === plan) return;
    count(text.length);
    plan = text;
    onProgress(text);
  };
  /** Reads the tokens that an update reports; undefined unless they are more than before. */
  const readUsage = ({ sessionUpdate, used: tokens }: Fields): number | undefined => {
    if (sessionUpdate !== 'usage_update' || !isCount(tokens) || tokens <= (used ?? -1)) return undefined;
    used = tokens;
    return tokens;
  };

  return {
    /** Reads what is an update. Throws `LIMIT_REACHED` for a flood. */
    read(update: Fields): void {
      switch (update['sessionUpdate']) {
        case 'agent_message_chunk':
          return addText('text', update['content']);
        case 'agent_thought_chunk':
          return addText('reasoning', update['content']);
        case 'tool_call':
        case 'tool_call_update':
          return addCall(update);
        case 'plan':
          return addPlan(update['entries']);
        default: {
          // The rest is what it offers to a person in an editor, and what this version does not know.
          const tokens = readUsage(update);
          if (tokens === undefined || !isOverBudget(limits, tokens)) return undefined;
          throw new KernelError('LIMIT_REACHED', `The agent has used ${tokens} tokens, which is beyond its limits.`, {
            hint: 'limits.tokens or limits.cost allow more.',
          });
        }
      }
    },
    readUsage,
    /** Returns the call of an id with what another message says of it, which is not kept. */
    callWith: (id: string, fields: Fields): OwnCall => withFields(calls.get(id), fields),
    /** The most tokens that its context held, if the agent tells them. */
    contextTokens: () => used,
    flush,
  };
}

function describePlan(entries: unknown): string {
  if (!Array.isArray(entries)) return 'has a plan';
  const lines = entries.slice(0, MAX_PLAN).flatMap((entry: unknown) => {
    if (!isObject(entry) || typeof entry['content'] !== 'string') return [];
    const mark = entry['status'] === 'completed' ? 'x' : entry['status'] === 'in_progress' ? '>' : ' ';
    return [`[${mark}] ${truncate(entry['content'], 200)}`];
  });
  return ['plan:', ...lines].join('\n');
}
