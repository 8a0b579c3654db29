import { KernelError, type ToolRepair } from '@kernel/protocol';
import { isObject } from '../schema/check.ts';
import { errorPosition } from './json-error-position.ts';

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
    const at = position === text.length ? `the end (position ${position}): it looks cut off` : `position ${position}`;
    const near = text.slice(Math.max(0, position - 15), position + 15).replaceAll(/\s/g, ' ');
    const message = `the arguments of "${clip(name)}" are not valid JSON at ${at}, near \`${near}\`.`;
    return new KernelError('ARGUMENTS_INVALID', message, {
      hint: 'Send one JSON object.',
      data: { position },
      cause: error,
    });
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

function clip(text: string): string {
  return text.length > 64 ? `${text.slice(0, 61)}…` : text;
}
