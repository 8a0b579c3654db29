import { isObject, type Redactor, sliceHead, type StreamRedactor, truncate } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import {
  bounded,
  contentsOf,
  MAX_INPUT,
  MAX_PATHS,
  type OwnCall,
  type OwnCallOutput,
  pathsOf,
  sizeOf,
  textOfBlock,
  toOwnCall,
} from './own-call.ts';
import { addTargets } from '../requests/permission.ts';
import { isCount } from './usage.ts';

/** What the agent says and does within its turn, in order. */
export type AgentOutput = { readonly type: 'text' | 'reasoning'; text: string } | OwnCallOutput;

/** What is read of the updates of a session. */
export interface Updates {
  /** Reads the parameters of a `session/update`. Those of other sessions, and what is not an update, are left out. Throws `LIMIT_REACHED` for a flood. */
  read(params: unknown): void;
  /** The call of an id with what another message says of it, which is not kept. */
  callWith(id: string, fields: Readonly<Record<string, unknown>>): OwnCall;
  /** The most tokens that its context held, if the agent tells them. */
  contextTokens(): number | undefined;
  /** Says what was held back, because it could have been the beginning of a secret. */
  flush(): void;
}

interface UpdatesOptions {
  readonly textCharacters: number;
  /** The session; undefined before there is one, and when its turn has ended. */
  readonly sessionId: () => string | undefined;
  /** The session while its turn is being cancelled: what it has used is read, and nothing else. */
  readonly cancelledId: () => string | undefined;
  readonly emit: (output: AgentOutput) => void;
  readonly onProgress: (update: string) => void;
  /** Called when it has used more. */
  readonly onUsage: (contextTokens: number) => void;
  readonly redactor: Redactor;
  /** The output of a terminal, by its id. */
  readonly outputOf: (terminal: string) => string;
}

const MAX_CALLS = 10_000;
const MAX_PLAN = 50;

/** Reads the updates of one session. Nothing in them is trusted to have the form that the protocol says. */
export function createUpdates({
  textCharacters,
  sessionId,
  cancelledId,
  emit,
  onProgress,
  onUsage,
  redactor,
  outputOf,
}: UpdatesOptions): Updates {
  const calls = new Map<string, OwnCall>();
  const reported = new Set<string>();
  let characters = 0;
  let used: number | undefined;
  let plan = '';
  let speaking: { readonly type: 'text' | 'reasoning'; readonly stream: StreamRedactor } | undefined;

  const count = (length: number): void => {
    characters += length;
    if (characters > textCharacters)
      throw new KernelError('LIMIT_REACHED', `The agent said more than ${textCharacters} characters.`, {
        hint: 'limits.textCharacters allows more.',
      });
  };
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
  const merge = (id: string, fields: Readonly<Record<string, unknown>>): OwnCall => {
    const known = calls.get(id) ?? {
      id,
      title: '',
      kind: 'other',
      name: '',
      input: undefined,
      output: undefined,
      content: [],
      paths: [],
      targets: [],
    };
    const { title, kind, name, rawInput, rawOutput, content } = fields;
    const input = bounded(rawInput, MAX_INPUT);
    return {
      id,
      title: typeof title === 'string' ? sliceHead(title, MAX_INPUT + 1) : known.title,
      kind: typeof kind === 'string' ? (kind.length <= 40 ? kind : 'other') : known.kind,
      name: typeof name === 'string' ? sliceHead(name, 64) : known.name,
      input: input ?? known.input,
      output: bounded(rawOutput, MAX_INPUT) ?? known.output,
      content: Array.isArray(content) ? contentsOf(content) : known.content,
      // What was named before stays: an agent may name one path first, and another with its request.
      paths: [...new Set([...known.paths, ...pathsOf(fields)])].slice(0, MAX_PATHS),
      targets: addTargets(known.targets, fields, input),
    };
  };
  const addCall = (fields: Readonly<Record<string, unknown>>): void => {
    const { toolCallId: id, status } = fields;
    if (typeof id !== 'string' || reported.has(id)) return;
    if (calls.size >= MAX_CALLS)
      throw new KernelError('LIMIT_REACHED', `The agent made more than ${MAX_CALLS} calls of its own tools.`);
    const known = calls.get(id);
    const call = merge(id, fields);
    count(Math.max(0, sizeOf(call) - (known === undefined ? 0 : sizeOf(known))));
    calls.set(id, call);
    if (known === undefined && call.title !== '') onProgress(truncate(call.title, 200));
    if (status !== 'completed' && status !== 'failed') return;
    reported.add(id);
    calls.set(id, { ...call, input: undefined, output: undefined, content: [], targets: undefined });
    flush();
    const output = toOwnCall(call, status === 'failed', outputOf);
    emit({ ...output, call: redactor.data(output.call), result: redactor.data(output.result) });
  };

  const addPlan = (text: string): void => {
    if (text === plan) return;
    count(text.length);
    plan = text;
    onProgress(text);
  };

  const isMore = (tokens: unknown): boolean => {
    if (!isCount(tokens) || tokens <= (used ?? -1)) return false;
    used = tokens;
    return true;
  };

  return {
    read(params) {
      if (!isObject(params) || typeof params['sessionId'] !== 'string' || !isObject(params['update'])) return undefined;
      const update: Readonly<Record<string, unknown>> = params['update'];
      if (params['sessionId'] === cancelledId() && update['sessionUpdate'] === 'usage_update')
        return void isMore(update['used']);
      if (params['sessionId'] !== sessionId()) return undefined;
      switch (update['sessionUpdate']) {
        case 'agent_message_chunk':
          return addText('text', update['content']);
        case 'agent_thought_chunk':
          return addText('reasoning', update['content']);
        case 'tool_call':
        case 'tool_call_update':
          return addCall(update);
        case 'plan':
          return addPlan(describePlan(update['entries']));
        case 'usage_update':
          return isMore(update['used']) ? onUsage(used ?? 0) : undefined;
        default:
          // What it offers to a person in an editor, and what this version does not know.
          return undefined;
      }
    },
    callWith: merge,
    contextTokens: () => used,
    flush,
  };
}

function describePlan(entries: unknown): string {
  if (!Array.isArray(entries)) return 'has a plan';
  const marks: Readonly<Record<string, string>> = { completed: 'x', in_progress: '>' };
  const lines = entries.slice(0, MAX_PLAN).flatMap((entry: unknown) => {
    if (!isObject(entry) || typeof entry['content'] !== 'string') return [];
    const status = typeof entry['status'] === 'string' && Object.hasOwn(marks, entry['status']) ? entry['status'] : '';
    return [`[${marks[status] ?? ' '}] ${truncate(entry['content'], 200)}`];
  });
  return ['plan:', ...lines].join('\n');
}
