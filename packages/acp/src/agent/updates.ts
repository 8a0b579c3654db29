import { isObject, type Redactor, sliceHead, type StreamRedactor, truncate } from '@kernel/internal';
import { KernelError, type ServerToolCall, type ServerToolResult } from '@kernel/protocol';

/** What the agent says and does within its turn, in order. */
export type AgentOutput =
  | { readonly type: 'text' | 'reasoning'; text: string }
  | { readonly type: 'own-call'; readonly call: ServerToolCall; readonly result: ServerToolResult };

/** A call of a tool of the agent's own, as far as it was told. */
export interface OwnCall {
  readonly id: string;
  title: string;
  kind: string;
  name: string;
  input: unknown;
  output: unknown;
  content: readonly unknown[];
  paths: readonly string[];
}

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

interface Setup {
  readonly textCharacters: number;
  /** The session; undefined before there is one. */
  readonly sessionId: () => string | undefined;
  readonly say: (said: AgentOutput) => void;
  readonly onProgress: (update: string) => void;
  /** Called when it has used more. */
  readonly onUsage: (contextTokens: number) => void;
  readonly redactor: Redactor;
  /** The output of a terminal, by its id. */
  readonly outputOf: (terminal: string) => string;
}

const MAX_CALLS = 10_000;
const MAX_RESULT = 8_000;
const MAX_INPUT = 100_000;
const MAX_PLAN = 50;
const MAX_PATHS = 1000;
const MAX_CONTENTS = 100;

/** Reads the updates of one session. Nothing in them is trusted to have the form that the protocol says. */
export function createUpdates({
  textCharacters,
  sessionId,
  say,
  onProgress,
  onUsage,
  redactor,
  outputOf,
}: Setup): Updates {
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
    if (type !== undefined && text !== '') say({ type, text });
  };
  const addText = (type: 'text' | 'reasoning', content: unknown): void => {
    const text = textOfBlock(content);
    count(text.length);
    if (text === '') return;
    if (speaking?.type !== type) flush();
    speaking ??= { type, stream: redactor.stream() };
    const clean = speaking.stream.push(text);
    if (clean !== '') say({ type, text: clean });
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
    };
    const { title, kind, name, rawInput, rawOutput, content } = fields;
    return {
      id,
      title: typeof title === 'string' ? sliceHead(title, MAX_RESULT) : known.title,
      kind: typeof kind === 'string' ? sliceHead(kind, 40) : known.kind,
      name: typeof name === 'string' ? sliceHead(name, 64) : known.name,
      input: bounded(rawInput, MAX_INPUT) ?? known.input,
      output: bounded(rawOutput, MAX_INPUT) ?? known.output,
      content: Array.isArray(content) ? contentsOf(content) : known.content,
      // What was named before stays: an agent may name one place first, and another with its request.
      paths: [...new Set([...known.paths, ...pathsOf(fields)])].slice(0, MAX_PATHS),
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
    calls.set(id, { ...call, input: undefined, output: undefined, content: [] });
    flush();
    const said = toOwnCall(call, status === 'failed', outputOf);
    say({ ...said, call: redactor.data(said.call), result: redactor.data(said.result) });
  };

  const addPlan = (text: string): void => {
    if (text === plan) return;
    count(text.length);
    plan = text;
    onProgress(text);
  };

  return {
    read(params) {
      if (!isObject(params) || params['sessionId'] !== sessionId() || !isObject(params['update'])) return;
      const update: Readonly<Record<string, unknown>> = params['update'];
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
          if (!isCount(update['used']) || update['used'] <= (used ?? -1)) return undefined;
          used = update['used'];
          return onUsage(used);
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

/** The text of a block of content. Media has none: it is named. */
function textOfBlock(block: unknown): string {
  if (!isObject(block)) return '';
  const { type, text, uri, name, resource } = block as Readonly<Record<string, unknown>>;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (type === 'resource_link')
    return `[${typeof name === 'string' ? name : ''}](${typeof uri === 'string' ? uri : ''})`;
  if (type === 'resource' && isObject(resource)) return typeof resource['text'] === 'string' ? resource['text'] : '';
  return type === 'image' || type === 'audio' ? `[${type}]` : '';
}

function toOwnCall(
  call: OwnCall,
  isError: boolean,
  outputOf: Setup['outputOf'],
): Extract<AgentOutput, { type: 'own-call' }> {
  const name = call.name || call.kind;
  const texts = call.content.map((each) => textOfContent(each, outputOf)).filter((text) => text !== '');
  const text =
    texts.length > 0 ? texts.join('\n') : typeof call.output === 'string' ? call.output : jsonOf(call.output);
  return {
    type: 'own-call',
    call: { type: 'server-tool-call', id: call.id, name, arguments: argumentsOf(call) },
    result: {
      type: 'server-tool-result',
      callId: call.id,
      name,
      text: truncate(text, MAX_RESULT),
      ...(isError && { isError }),
    },
  };
}

function textOfContent(content: unknown, outputOf: Setup['outputOf']): string {
  if (!isObject(content)) return '';
  const { type, path, terminalId } = content as Readonly<Record<string, unknown>>;
  if (type === 'content') return textOfBlock(content['content']);
  if (type === 'diff') return typeof path === 'string' ? `changed ${path}` : '';
  return type === 'terminal' && typeof terminalId === 'string' ? outputOf(terminalId) : '';
}

/** The input of a call as the JSON text of an object; its title where the agent tells no input. */
function argumentsOf({ input, title }: OwnCall): string {
  const isTold = input !== undefined && input !== TOO_LONG;
  const text = jsonOf(isObject(input) && !Array.isArray(input) ? input : isTold ? { input } : { title });
  return text.length <= MAX_INPUT ? text : JSON.stringify({ title });
}

function jsonOf(value: unknown): string {
  return value === undefined || value === TOO_LONG ? '' : JSON.stringify(value);
}

/** The paths that a message names: where the call works, and what its diffs change. */
function pathsOf({ locations, content }: Readonly<Record<string, unknown>>): readonly string[] {
  const places = [locations, content].flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : []));
  return places.flatMap((each) => (isObject(each) && typeof each['path'] === 'string' ? [each['path']] : []));
}

/** What stands for a value that is too long to be kept. It is longer than what can be shown, so nobody is asked about it. */
export const TOO_LONG = Symbol('too long');

/** A value whose JSON text is not too long. */
function bounded(value: unknown, max: number): unknown {
  return value === undefined || value === null || JSON.stringify(value).length <= max ? value : TOO_LONG;
}

/** The contents of a call, as much of them as is told. */
function contentsOf(contents: readonly unknown[]): readonly unknown[] {
  return contents.slice(0, MAX_CONTENTS).flatMap((each): readonly object[] => {
    if (!isObject(each)) return [];
    const { type, path, terminalId } = each as Readonly<Record<string, unknown>>;
    if (type === 'content')
      return [{ type, content: { type: 'text', text: truncate(textOfBlock(each['content']), MAX_RESULT) } }];
    return [{ type, path: shortText(path), terminalId: shortText(terminalId) }];
  });
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_RESULT ? value : undefined;
}

/** About how many characters are kept of a call. */
function sizeOf({ title, input, output, content, paths }: OwnCall): number {
  return jsonOf({ title, input, output, content, paths }).length;
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

/** Whether a value is a count of something. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
