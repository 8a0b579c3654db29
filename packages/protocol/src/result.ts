import { KernelError, type KernelErrorCode } from './error.ts';
import type { JsonValue } from './json.ts';
import type { MediaPart } from './message.ts';

/** What a call came to: text for the model, text for the user, and how to treat it (seed 002's result model). */
export interface ToolResult {
  /** What the model reads. Always set; see `toModelText` for the empty case. */
  readonly forLLM: string;
  /** Shown to the user unless `silent`; never sent to the model. */
  readonly forUser?: string;
  /** Suppresses `forUser`. */
  readonly silent?: boolean;
  readonly isError?: boolean;
  /** The kind of failure; set when `isError` comes from a `KernelError`. */
  readonly code?: KernelErrorCode;
  /** Work goes on in the background; the outcome comes through `CallContext.onComplete`. */
  readonly async?: boolean;
  /** The structured result. */
  readonly data?: JsonValue;
  /** Images and files for wires that take them; a text note elsewhere. */
  readonly media?: readonly MediaPart[];
  /** How the call ended; absent counts as `done`. */
  readonly outcome?: ToolOutcome;
  /** What was changed in the model's arguments before the handler saw them. */
  readonly repairs?: readonly ToolRepair[];
  /** The original error, for logs. `toResultJson` leaves it out. */
  readonly error?: unknown;
}

/**
 * How a call ended. `cancelled`: the handler stopped on the abort. `abandoned`: it was still running when we left.
 * `unknown`: a crash hides whether it ran.
 */
export type ToolOutcome = 'done' | 'timeout' | 'cancelled' | 'abandoned' | 'denied' | 'skipped' | 'unknown';

/** One lossless change to a model's arguments. */
export interface ToolRepair {
  /** JSON pointer into the arguments. */
  readonly path: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
  /** The rule's name, such as `string-to-number`. */
  readonly rule: string;
}

/** A result that the model reads, and nobody else. */
export function toolResult(forLLM: string): ToolResult {
  return { forLLM };
}

/** A result that the model reads and the user is not told of. */
export function silentResult(forLLM: string): ToolResult {
  return { forLLM, silent: true };
}

/** The same text for the model and the user. */
export function userResult(content: string): ToolResult {
  return { forLLM: content, forUser: content };
}

/** Says that work has begun and its outcome comes later. */
export function asyncResult(forLLM: string): ToolResult {
  return { forLLM, async: true };
}

/** A failure. With `error`, keeps it for logs and takes a `KernelError`'s code. */
export function errorResult(message: string, error?: unknown): ToolResult {
  if (error === undefined) return { forLLM: message, isError: true };
  return { forLLM: message, isError: true, error, ...(KernelError.is(error) ? { code: error.code } : {}) };
}

/** The failure that a `KernelError` stands for: `CODE: message hint` for the model, the error kept for logs. */
export function toErrorResult(error: KernelError, outcome?: ToolOutcome): ToolResult {
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  const result = errorResult(`${error.code}: ${error.message}${hint}`, error);
  return outcome === undefined ? result : { ...result, outcome };
}

/** Returns a copy of `result` with `error` set. */
export function withError(result: ToolResult, error: unknown): ToolResult {
  return { ...result, error };
}

/** Says whether a handler returned a result itself: an object whose own `forLLM` is a string. */
export function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'forLLM') && hasText(value);
}

/** The text for the model: `forLLM`, or the error's message where that is empty. Never empty for a failure. */
export function toModelText(result: ToolResult): string {
  if (result.forLLM !== '' || result.isError !== true) return result.forLLM;
  if (result.error instanceof Error && result.error.message !== '') return result.error.message;
  return `${result.code ?? 'TOOL_FAILED'}: the tool failed without a message.`;
}

const JSON_FIELDS = [
  'forLLM',
  'forUser',
  'silent',
  'isError',
  'code',
  'async',
  'data',
  'media',
  'outcome',
  'repairs',
] as const;

/** The JSON form of a `ToolResult`: all of it but `error`. */
export type ToolResultJson = Omit<ToolResult, 'error'>;

/** Returns the JSON form of a result: every set field but `error`, and no field that `ToolResult` does not name. */
export function toResultJson(result: ToolResult): ToolResultJson {
  const json: Writable<ToolResultJson> = { forLLM: result.forLLM };
  const copy = <K extends keyof ToolResultJson>(field: K, value: ToolResultJson[K]): void => {
    if (value !== undefined) json[field] = value;
  };
  for (const field of JSON_FIELDS) copy(field, result[field]);
  return json;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function hasText(value: object): boolean {
  return 'forLLM' in value && typeof value.forLLM === 'string';
}
