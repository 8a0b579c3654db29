import { isObject, sliceHead } from '@kernel/internal';
import {
  findJsonLoss,
  type JsonObject,
  jsonLossError,
  type JsonValue,
  KernelError,
  type Tool,
  type ToolRepair,
  unwrapArguments,
} from '@kernel/protocol';
import { parseJson } from '../json.ts';

/** The arguments of a call as an object. */
export interface ParsedArguments {
  /** The arguments by name. */
  readonly input: JsonObject;
  /** What was changed to parse them. */
  readonly repairs: readonly ToolRepair[];
}

/**
 * Parses a call's argument text: blank means `{}`, and text that was encoded twice is unwrapped and reported. Returns an error for anything but
 * a JSON object, for a number that would be rounded, and, unless the tool may be repeated, for a key that an object has twice.
 */
export function parseArguments(raw: string, { name: tool, effect }: Tool): ParsedArguments | KernelError {
  const text = unwrapArguments(raw);
  if (text.trim() === '') return { input: {}, repairs: [] };
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
  const loss = findJsonLoss(text, value, effect !== 'read' && effect !== 'idempotent');
  if (loss !== undefined) return jsonLossError(loss, tool);
  if (isJsonObject(value)) {
    const repair: ToolRepair = { path: '', from: sliceHead(text, 64), to: 'an object', rule: 'json-text' };
    return { input: value, repairs: text === raw ? [] : [repair] };
  }
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return new KernelError('ARGUMENTS_INVALID', `the arguments of "${tool}" must be a JSON object, not ${kind}.`);
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}
