import { isObject, sliceHead, sliceTail, truncate, wellFormedJson } from '@kernel/internal';
import { findJsonLoss, jsonLossError, KernelError, type ToolRepair, unwrapArguments } from '@kernel/protocol';
import { jsonErrorPosition } from './json-error-position.ts';

/** The arguments of a call: JSON text from a model, or an object or nothing from a program. */
export type RawArguments = string | object | undefined;

export interface ParsedArguments {
  readonly value: { readonly [name: string]: unknown };
  readonly repairs: readonly ToolRepair[];
}

const NO_REPAIRS: readonly ToolRepair[] = [];

// Malformed or truncated JSON is rejected with its position, never completed. A number that would be rounded is rejected, and so is a key that an
// object has twice, unless `allowDuplicateKeys`: then the last one counts, as in `JSON.parse`. Returns the error instead of throwing it.
export function parseArguments(
  raw: RawArguments,
  toolName: string,
  allowDuplicateKeys: boolean,
): ParsedArguments | KernelError {
  if (raw === undefined) return { value: {}, repairs: NO_REPAIRS };
  if (typeof raw !== 'string') return copyObject(raw, toolName);
  const unwrapped = unwrapArguments(raw);
  if (unwrapped.trim() === '') return { value: {}, repairs: NO_REPAIRS };
  const text = wellFormedJson(unwrapped);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return syntaxError(text, toolName, error);
  }
  const loss = findJsonLoss(text, json, !allowDuplicateKeys);
  if (loss !== undefined) return jsonLossError(loss, toolName);
  if (!isObject(json)) return notAnObject(json, toolName);
  if (text === raw) return { value: json, repairs: NO_REPAIRS };
  const repairs: ToolRepair[] = [];
  const from = truncate(text, 64);
  if (unwrapped !== raw) repairs.push({ path: '', from, to: 'an object', rule: 'json-text' });
  if (text !== unwrapped) repairs.push({ path: '', from, to: 'U+FFFD', rule: 'half-surrogate-to-u+fffd' });
  return { value: json, repairs };
}

/** Copies the object, so that nothing but data reaches the handler and the caller shares nothing with it. */
function copyObject(value: object, toolName: string): ParsedArguments | KernelError {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const message = `the arguments of "${toolName}" contain a value that JSON cannot represent.`;
    return new KernelError('ARGUMENTS_INVALID', message, { cause: error });
  }
  const json: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(json) ? { value: json, repairs: NO_REPAIRS } : notAnObject(json, toolName);
}

function syntaxError(text: string, toolName: string, cause: unknown): KernelError {
  const position = jsonErrorPosition(text);
  const at = position === text.length ? `the end (position ${position}): it looks cut off` : `position ${position}`;
  const near = sliceTail(text.slice(0, position), 15) + sliceHead(text.slice(position), 15);
  const excerpt = near.replaceAll(/\s/g, ' ');
  const message = `the arguments of "${truncate(toolName, 64)}" are not valid JSON at ${at}, near \`${excerpt}\`.`;
  return new KernelError('ARGUMENTS_INVALID', message, { hint: 'Send one JSON object.', data: { position }, cause });
}

function notAnObject(value: unknown, toolName: string): KernelError {
  const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  const message = `the arguments of "${truncate(toolName, 64)}" must be a JSON object, not ${type}, at position 0.`;
  return new KernelError('ARGUMENTS_INVALID', message, { data: { position: 0 } });
}
