import { isObject, truncate } from '@kernel/internal';
import type { ServerToolCall, ServerToolResult, ToolCall, ToolResult } from '@kernel/protocol';

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
  /** Where the inputs that were ever said of it work; undefined if one of them may be more than work on files. */
  targets: readonly string[] | undefined;
}

/** A call of the agent's own with its result, as the run sees it. */
export interface OwnCallOutput {
  readonly type: 'own-call';
  readonly call: ServerToolCall;
  readonly result: ServerToolResult;
}

/** The most characters of a result. */
const MAX_RESULT = 8_000;
/** The most characters of an input, as JSON, and of a title: of a longer one nobody is asked. */
export const MAX_INPUT = 100_000;
/** The most paths that are kept of a call. */
export const MAX_PATHS = 1000;
const MAX_CONTENTS = 100;

/** The text of a block of content. Media has none: it is named. */
export function textOfBlock(block: unknown): string {
  if (!isObject(block)) return '';
  const { type, text, uri, name, resource } = block as Readonly<Record<string, unknown>>;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (type === 'resource_link')
    return `[${typeof name === 'string' ? name : ''}](${typeof uri === 'string' ? uri : ''})`;
  if (type === 'resource' && isObject(resource)) return typeof resource['text'] === 'string' ? resource['text'] : '';
  return type === 'image' || type === 'audio' ? `[${type}]` : '';
}

/** What a run sees of a call that has ended. */
export function toOwnCall(call: OwnCall, isError: boolean, outputOf: (terminal: string) => string): OwnCallOutput {
  const name = call.name || call.kind;
  const texts = call.content.map((each) => textOfContent(each, outputOf)).filter((text) => text !== '');
  const text =
    texts.length > 0 ? texts.join('\n') : typeof call.output === 'string' ? call.output : jsonOf(call.output);
  return outputOfCall({ id: call.id, name, arguments: argumentsOf(call) }, text, isError);
}

/** What a run sees of a command that it ran for the agent without a call of its own. */
export function commandOutput(call: ToolCall, { forLLM, isError = false }: ToolResult): OwnCallOutput {
  return outputOfCall(call, forLLM, isError);
}

function outputOfCall(
  { id, name, arguments: json }: Pick<ToolCall, 'id' | 'name' | 'arguments'>,
  text: string,
  isError: boolean,
): OwnCallOutput {
  return {
    type: 'own-call',
    call: { type: 'server-tool-call', id, name, arguments: json },
    result: {
      type: 'server-tool-result',
      callId: id,
      name,
      text: truncate(text, MAX_RESULT),
      ...(isError && { isError }),
    },
  };
}

function textOfContent(content: unknown, outputOf: (terminal: string) => string): string {
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
export function pathsOf({ locations, content }: Readonly<Record<string, unknown>>): readonly string[] {
  const all = [locations, content].flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : []));
  return all.flatMap((each) => (isObject(each) && typeof each['path'] === 'string' ? [each['path']] : []));
}

/** What stands for a value that is too long to be kept. It is longer than what can be shown, so nobody is asked about it. */
export const TOO_LONG = Symbol('too long');

/** A value whose JSON text is not too long. */
export function bounded(value: unknown, max: number): unknown {
  return value === undefined || value === null || JSON.stringify(value).length <= max ? value : TOO_LONG;
}

/** The contents of a call, as much of them as is told. */
export function contentsOf(contents: readonly unknown[]): readonly unknown[] {
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
export function sizeOf({ title, input, output, content, paths, targets }: OwnCall): number {
  return jsonOf({ title, input, output, content, paths, targets }).length;
}
