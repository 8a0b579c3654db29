import { isObject, sliceHead, truncate } from '@kernel/internal';
import { KernelError, type ServerToolCall, type ServerToolResult } from '@kernel/protocol';

/** What the agent says and does within its turn, in order. */
export type Said =
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
  /** The tokens of its context, if the agent tells them. */
  contextTokens(): number | undefined;
}

interface Setup {
  readonly textCharacters: number;
  /** The session; undefined before there is one. */
  readonly sessionId: () => string | undefined;
  readonly say: (said: Said) => void;
  readonly onProgress: (update: string) => void;
  /** The output of a terminal, by its id. */
  readonly outputOf: (terminal: string) => string;
}

const MAX_CALLS = 10_000;
const MAX_RESULT = 8_000;
const MAX_INPUT = 100_000;
const MAX_PLAN = 50;

/** Reads the updates of one session. Nothing in them is trusted to have the form that the protocol says. */
export function createUpdates({ textCharacters, sessionId, say, onProgress, outputOf }: Setup): Updates {
  const calls = new Map<string, OwnCall>();
  const reported = new Set<string>();
  let characters = 0;
  let used: number | undefined;

  const addText = (type: 'text' | 'reasoning', content: unknown): void => {
    const text = textOfBlock(content);
    characters += text.length;
    if (characters > textCharacters)
      throw new KernelError('LIMIT_REACHED', `The agent said more than ${textCharacters} characters.`, {
        hint: 'limits.textCharacters allows more.',
      });
    if (text !== '') say({ type, text });
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
    const { title, kind, name, rawInput, rawOutput, content, locations } = fields;
    return {
      id,
      title: typeof title === 'string' ? sliceHead(title, MAX_RESULT) : known.title,
      kind: typeof kind === 'string' ? sliceHead(kind, 40) : known.kind,
      name: typeof name === 'string' ? sliceHead(name, 64) : known.name,
      input: rawInput ?? known.input,
      output: rawOutput ?? known.output,
      content: Array.isArray(content) ? content : known.content,
      paths: pathsOf(fields) ?? (Array.isArray(locations) ? [] : known.paths),
    };
  };
  const addCall = (fields: Readonly<Record<string, unknown>>): void => {
    const { toolCallId: id, status } = fields;
    if (typeof id !== 'string' || reported.has(id)) return;
    if (calls.size >= MAX_CALLS)
      throw new KernelError('LIMIT_REACHED', `The agent made more than ${MAX_CALLS} calls of its own tools.`);
    const isNew = !calls.has(id);
    const call = merge(id, fields);
    calls.set(id, call);
    if (isNew && call.title !== '') onProgress(truncate(call.title, 200));
    if (status !== 'completed' && status !== 'failed') return;
    reported.add(id);
    calls.set(id, { ...call, input: undefined, output: undefined, content: [] });
    say(toOwnCall(call, status === 'failed', outputOf));
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
          return onProgress(describePlan(update['entries']));
        case 'usage_update':
          if (isCount(update['used'])) used = update['used'];
          return undefined;
        default:
          // What it offers to a person in an editor, and what this version does not know.
          return undefined;
      }
    },
    callWith: merge,
    contextTokens: () => used,
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

function toOwnCall(call: OwnCall, isError: boolean, outputOf: Setup['outputOf']): Said {
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
  const text = jsonOf(isObject(input) && !Array.isArray(input) ? input : input === undefined ? { title } : { input });
  return text.length <= MAX_INPUT ? text : JSON.stringify({ title });
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** The paths that a message names: where the call works, and what its diffs change. Undefined if it names none. */
function pathsOf({ locations, content }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const places = [locations, content].flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : []));
  const paths = places.flatMap((each) => (isObject(each) && typeof each['path'] === 'string' ? [each['path']] : []));
  return paths.length === 0 ? undefined : paths;
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
