import { KernelError, type ToolRepair } from '@kernel/protocol';
import { isObject } from '../schema/check.ts';

/** Arguments as a call may bring them: raw text from a model, an object or nothing from a program. */
export type RawArguments = string | object | undefined;

/** The arguments as an object, and what was done to read them. */
export interface ParsedArguments {
  readonly value: { readonly [name: string]: unknown };
  readonly repairs: readonly ToolRepair[];
}

const NONE: readonly ToolRepair[] = [];

/**
 * Reads arguments: blank text and nothing mean `{}`; a JSON string that holds the JSON of an object is read through.
 *
 * Broken or cut text is refused with its position and never mended. Returns the error instead of throwing it.
 */
export function parseArguments(given: RawArguments, name: string): ParsedArguments | KernelError {
  if (typeof given !== 'string') return given === undefined ? { value: {}, repairs: NONE } : parseObject(given, name);
  if (given.trim() === '') return { value: {}, repairs: NONE };
  const first = parseJson(given, name);
  if (KernelError.is(first)) return first;
  if (isObject(first.json)) return { value: first.json, repairs: NONE };
  if (typeof first.json !== 'string') return notAnObject(first.json, name);
  if (first.json.trim() === '') return { value: {}, repairs: NONE };
  const second = parseJson(first.json, name);
  if (KernelError.is(second)) return second;
  if (!isObject(second.json)) return notAnObject(second.json, name);
  const repair: ToolRepair = { path: '', from: clip(first.json), to: 'an object', rule: 'json-text' };
  return { value: second.json, repairs: [repair] };
}

/** A program's object becomes plain JSON data, so that a handler can't share it and nothing but data gets through. */
function parseObject(given: object, name: string): ParsedArguments | KernelError {
  let text: string | undefined;
  try {
    text = JSON.stringify(given);
  } catch (error) {
    return new KernelError('ARGUMENTS_INVALID', `the arguments of "${name}" hold something that JSON cannot.`, {
      cause: error,
    });
  }
  const json: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(json) ? { value: json, repairs: NONE } : notAnObject(json, name);
}

function parseJson(text: string, name: string): { readonly json: unknown } | KernelError {
  try {
    const json: unknown = JSON.parse(text);
    return { json };
  } catch (error) {
    const position = errorPosition(text);
    const at = position >= text.length ? `end (position ${text.length}): it looks cut off` : `position ${position}`;
    const near = JSON.stringify(text.slice(Math.max(0, position - 15), position + 15));
    return new KernelError(
      'ARGUMENTS_INVALID',
      `the arguments of "${clip(name)}" are not valid JSON at ${at}, near ${near}.`,
      {
        hint: 'Send one JSON object.',
        data: { position },
        cause: error,
      },
    );
  }
}

function notAnObject(value: unknown, name: string): KernelError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return new KernelError(
    'ARGUMENTS_INVALID',
    `the arguments of "${clip(name)}" must be a JSON object, not ${kind}, at position 0.`,
    {
      data: { position: 0 },
    },
  );
}

const TOKEN =
  // oxlint-disable-next-line no-control-regex -- JSON allows no raw control character in a string
  /\s*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** Finds where JSON text goes wrong: the start of the first token that can't stand there, or the text's length. Linear. */
export function errorPosition(text: string): number {
  const open: ('{' | '[')[] = [];
  let expects: 'value' | 'key' | 'key-or-end' | 'value-or-end' | 'colon' | 'comma-or-end' | 'nothing' = 'value';
  TOKEN.lastIndex = 0;
  for (;;) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) return start + (/^\s*/.exec(text.slice(start, start + 1000))?.[0].length ?? 0);
    const at = TOKEN.lastIndex - match[0].trimStart().length;
    const [, mark, string] = match;
    const isValue = mark === undefined || mark === '{' || mark === '[';
    if (isValue) {
      if (expects === 'key' || expects === 'key-or-end') {
        if (string === undefined) return at;
        expects = 'colon';
        continue;
      }
      if (expects !== 'value' && expects !== 'value-or-end') return at;
      if (mark === '{' || mark === '[') {
        open.push(mark);
        expects = mark === '{' ? 'key-or-end' : 'value-or-end';
      } else expects = open.length === 0 ? 'nothing' : 'comma-or-end';
    } else if (mark === ':') {
      if (expects !== 'colon') return at;
      expects = 'value';
    } else if (mark === ',') {
      if (expects !== 'comma-or-end') return at;
      expects = open.at(-1) === '{' ? 'key' : 'value';
    } else {
      const opener = open.at(-1);
      const ends = expects === 'comma-or-end' || (mark === '}' ? expects === 'key-or-end' : expects === 'value-or-end');
      if (!ends || opener !== (mark === '}' ? '{' : '[')) return at;
      open.pop();
      expects = open.length === 0 ? 'nothing' : 'comma-or-end';
    }
  }
}

function clip(text: string): string {
  return text.length > 64 ? `${text.slice(0, 61)}…` : text;
}
