import { isObject, sliceHead, truncate } from '@kernel/internal';
import type { ServerToolCall, ServerToolResult, ToolCall, ToolResult } from '@kernel/protocol';
import { addTargets } from '../requests/targets.ts';

/** A call of a tool of the agent's own, as far as it was told. */
export interface OwnCall {
  readonly title: string;
  readonly kind: string;
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly content: readonly CallContent[];
  readonly paths: readonly string[];
  /** Where the inputs that were ever said of it work; undefined if one of them may be more than work on files. */
  readonly targets: readonly string[] | undefined;
}

/** What the agent shows of a call: a text, the path of a file that it changed, or the id of a terminal. */
interface CallContent {
  readonly type: 'content' | 'diff' | 'terminal';
  readonly text: string;
}

/** What an agent says of something, which may have any form. */
export type Fields = Readonly<Record<string, unknown>>;

/** The most characters of a result. */
const MAX_RESULT = 8_000;
/** The most characters of an input, as JSON, and of a title: of a longer one nobody is asked. */
const MAX_INPUT = 100_000;
const MAX_PATHS = 1000;
const MAX_CONTENTS = 100;

/** Replaces a value that is too long to be kept. It is too long to be shown, so it is never asked about. */
export const TOO_LONG = Symbol('too long');

const UNKNOWN: OwnCall = {
  title: '',
  kind: 'other',
  name: '',
  input: undefined,
  output: undefined,
  content: [],
  paths: [],
  targets: [],
};

/** Adds what a message says of a call. Earlier paths stay: an agent may name another one with its request. */
export function withFields(known: OwnCall = UNKNOWN, fields: Fields): OwnCall {
  const { title, kind, name, rawInput, rawOutput, content, locations } = fields;
  const input = bounded(rawInput);
  const named = [...listOf(locations), ...listOf(content)].flatMap(({ path }) =>
    typeof path === 'string' ? [path] : [],
  );
  return {
    title: typeof title === 'string' ? sliceHead(title, MAX_INPUT + 1) : known.title,
    kind: typeof kind === 'string' ? (kind.length <= 40 ? kind : 'other') : known.kind,
    name: typeof name === 'string' ? sliceHead(name, 64) : known.name,
    input: input ?? known.input,
    output: bounded(rawOutput) ?? known.output,
    content: Array.isArray(content) ? listOf(content.slice(0, MAX_CONTENTS)).flatMap(contentOf) : known.content,
    paths: [...new Set([...known.paths, ...named])].slice(0, MAX_PATHS),
    targets: addTargets(known.targets, fields, input),
  };
}

/** Returns the text of a block of content. Media has none: it is named. */
export function textOfBlock(block: unknown): string {
  if (!isObject(block)) return '';
  const { type, text, uri, name, resource }: Fields = block;
  if (type === 'text') return textOr(text);
  if (type === 'resource_link') return `[${textOr(name)}](${textOr(uri)})`;
  if (type === 'resource' && isObject(resource)) return textOr(resource['text']);
  return type === 'image' || type === 'audio' ? `[${type}]` : '';
}

/** Returns what a run sees of a call that has ended. */
export function toServerCall(
  id: string,
  { title, kind, name, input, output, content }: OwnCall,
  { isError, outputOf }: { readonly isError: boolean; readonly outputOf: (terminal: string) => string },
): readonly [ServerToolCall, ServerToolResult] {
  const said = content.map(({ type, text }) => {
    if (type === 'diff') return `changed ${text}`;
    return type === 'terminal' ? outputOf(text) : text;
  });
  const shown = said.filter((text) => text !== '').join('\n');
  // The input as an object; the title where the agent tells no input.
  const told = isObject(input) ? input : input === undefined || input === TOO_LONG ? { title } : { input };
  const json = JSON.stringify(told);
  return serverCall(
    { id, name: name || kind, arguments: json.length <= MAX_INPUT ? json : JSON.stringify({ title }) },
    { forLLM: shown || (typeof output === 'string' ? output : jsonOf(output)), isError },
  );
}

/** Returns what a run sees of a command that it ran for the agent without a call of its own. */
export function serverCall(
  { id, name, arguments: json }: Pick<ToolCall, 'id' | 'name' | 'arguments'>,
  { forLLM, isError = false }: ToolResult,
): readonly [ServerToolCall, ServerToolResult] {
  const text = truncate(forLLM, MAX_RESULT);
  return [
    { type: 'server-tool-call', id, name, arguments: json },
    { type: 'server-tool-result', callId: id, name, text, ...(isError && { isError }) },
  ];
}

/** Returns about how many characters are kept of a call. */
export function sizeOf(call: OwnCall | undefined): number {
  return call === undefined ? 0 : JSON.stringify(call).length;
}

function contentOf({ type, content, path, terminalId }: Fields): readonly CallContent[] {
  if (type === 'content') return [{ type, text: truncate(textOfBlock(content), MAX_RESULT) }];
  if (type === 'diff') return [{ type, text: sliceHead(textOr(path), MAX_RESULT) }];
  return type === 'terminal' ? [{ type, text: sliceHead(textOr(terminalId), MAX_RESULT) }] : [];
}

/** Returns the objects in what should be a list. */
function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function bounded(value: unknown): unknown {
  return value === undefined || value === null || JSON.stringify(value).length <= MAX_INPUT ? value : TOO_LONG;
}

function jsonOf(value: unknown): string {
  return value === undefined || value === TOO_LONG ? '' : JSON.stringify(value);
}
