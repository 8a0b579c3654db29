import { isObject } from '@kernel/internal';
import { type JsonObject, type JsonValue, KernelError } from '@kernel/protocol';
import { parseJson } from '../json.ts';

/** Parses a call's argument text: blank means `{}`. Returns an error for anything but a JSON object. */
export function parseArguments(text: string, tool: string): JsonObject | KernelError {
  if (text.trim() === '') return {};
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    return new KernelError('ARGUMENTS_INVALID', `the arguments of "${tool}" are not valid JSON (${why}).`, {
      hint: 'Send one JSON object.',
      cause: error,
    });
  }
  if (isJsonObject(value)) return value;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return new KernelError('ARGUMENTS_INVALID', `the arguments of "${tool}" must be a JSON object, not ${kind}.`);
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}
