import { isObject } from '@kernel/internal';
import { type JsonValue, KernelError, type SandboxCall, type SandboxOutput, type SandboxState } from '@kernel/protocol';

/**
 * Reads the state that a program has reached. Its text was made in the machine of the program, which can have changed all that made it: what is not a state
 * throws `TOOL_FAILED`.
 */
export function readState(text: string): SandboxState {
  try {
    return toState(JSON.parse(text));
  } catch (error) {
    throw new KernelError('TOOL_FAILED', 'The program broke the sandbox that it runs in.', {
      cause: error,
      hint: 'It must not change JSON, Promise and the prototypes of the language.',
    });
  }
}

function toState(value: unknown): SandboxState {
  const { type, calls, sleepMs, output, value: returned, error, stored } = objectOf(value);
  if (type === 'calls') return { type, calls: listOf(calls).map(toCall) };
  if (type === 'sleep') return { type, sleepMs: numberOf(sleepMs) };
  if (type !== 'end') throw new TypeError('no type');
  return {
    type,
    output: listOf(output).map(toOutput),
    ...(returned === undefined ? {} : { value: jsonText(returned) }),
    ...(error === undefined ? {} : { error: stringOf(error) }),
    stored: Object.fromEntries(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
      Object.entries(objectOf(stored)).map(([key, json]) => [key, JSON.parse(stringOf(json)) as JsonValue]),
    ),
  };
}

function toCall(value: unknown): SandboxCall {
  const { name, input } = objectOf(value);
  if (input === undefined) throw new TypeError('no input');
  return { name: stringOf(name), input: JSON.stringify(input) };
}

function toOutput(value: unknown): SandboxOutput {
  const { text, mimeType, data } = objectOf(value);
  if (text !== undefined) return { text: stringOf(text) };
  return { mimeType: matching(/^image\/[\w.+-]+$/, mimeType), data: matching(/^[A-Za-z0-9+/_-]+={0,2}$/, data) };
}

/** What is sent to a vendor is what it says: one bad image makes every later request fail. */
function matching(pattern: RegExp, value: unknown): string {
  const text = stringOf(value);
  if (!pattern.test(text)) throw new TypeError('not an image');
  return text;
}

/** A text that is JSON. */
function jsonText(value: unknown): string {
  const text = stringOf(value);
  JSON.parse(text);
  return text;
}

function objectOf(value: unknown): { readonly [key: string]: unknown } {
  if (!isObject(value)) throw new TypeError('not an object');
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

function stringOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a string');
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number' || !(value >= 0)) throw new TypeError('not a number');
  return value;
}
