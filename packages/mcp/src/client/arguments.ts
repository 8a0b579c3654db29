import { type JsonObject, type JsonValue, KernelError } from '@kernel/protocol';
import { parseJson } from './json.ts';

/** Reads a call's argument text, once: blank means `{}`; anything but the JSON of an object is an error, which is returned. */
export function readArguments(text: string, tool: string): JsonObject | KernelError {
  if (text.trim() === '') return {};
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'not JSON';
    return new KernelError('ARGUMENTS_INVALID', `the arguments of "${tool}" are not valid JSON (${why}).`, {
      hint: 'Send one JSON object.',
      cause: error,
    });
  }
  if (isObject(value)) return value;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return new KernelError('ARGUMENTS_INVALID', `the arguments of "${tool}" must be a JSON object, not ${kind}.`);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
