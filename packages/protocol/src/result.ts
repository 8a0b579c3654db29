import { KernelError, type KernelErrorCode } from './error.ts';
import type { JsonValue } from './json.ts';
import type { MediaPart } from './message.ts';

/** The result of a call: text for the model, text for the user, and how to treat it. `Data` is the type of its `data`. */
export interface ToolResult<Data = JsonValue> {
  /** What the model reads. Always set; see `toModelText` for the empty case. */
  readonly forLLM: string;
  /** What the user sees unless `silent`; never sent to the model. */
  readonly forUser?: string;
  /** Suppresses `forUser`. */
  readonly silent?: boolean;
  /** Whether the call failed. */
  readonly isError?: boolean;
  /** The kind of failure; set if `isError` comes from a `KernelError`. */
  readonly code?: KernelErrorCode;
  /** Whether work continues in the background; the late result arrives through `CallContext.onComplete`. */
  readonly async?: boolean;
  /** The structured result. */
  readonly data?: Data;
  /** Images and files, for APIs that accept them; a note in the text elsewhere. A registry encodes bytes (`Uint8Array`) in `data` as base64. */
  readonly media?: readonly MediaPart[];
  /** How the call ended. Default `done`. */
  readonly outcome?: ToolOutcome;
  /** What was changed in the model's arguments before the handler got them. */
  readonly repairs?: readonly ToolRepair[];
  /** The original error, for logs. `toResultJson` leaves it out. */
  readonly error?: unknown;
}

/** All values of `ToolOutcome`. */
export const TOOL_OUTCOMES = [
  'done',
  'timeout',
  'cancelled',
  'abandoned',
  'denied',
  'skipped',
  'unknown',
  'pending',
] as const;

/**
 * How a call ended. `cancelled`: the handler stopped on the abort. `abandoned`: it was still running when the call was settled. `unknown`: after a
 * crash, nobody can say whether it ran. `pending`: it waits for a decision on a call of its own, and will continue.
 */
export type ToolOutcome = (typeof TOOL_OUTCOMES)[number];

/** One lossless change to a model's arguments. */
export interface ToolRepair {
  /** A JSON pointer into the arguments. */
  readonly path: string;
  /** The value that the model sent. */
  readonly from: JsonValue;
  /** The value that the handler gets. */
  readonly to: JsonValue;
  /** The name of the rule, such as `string-to-number`. */
  readonly rule: string;
}

/**
 * Creates a result that only the model reads.
 *
 * @example
 * ```ts
 * import { type Tool, toolResult, type Toolset } from '@kernel/protocol';
 *
 * const clock: Tool = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object' } };
 * const list = Object.freeze([clock]);
 * const tools: Toolset = {
 *   list: () => list,
 *   prepare: (call) => ({
 *     tool: clock,
 *     arguments: call.arguments,
 *     run: async () => toolResult(new Date().toISOString()),
 *   }),
 * };
 * ```
 */
export function toolResult(forLLM: string): ToolResult {
  return { forLLM };
}

/** Creates a result that the model reads and the user does not see. */
export function silentResult(forLLM: string): ToolResult {
  return { forLLM, silent: true };
}

/** Creates a result with the same text for the model and the user. */
export function userResult(content: string): ToolResult {
  return { forLLM: content, forUser: content };
}

/** Creates a result that says that work has started and that its late result will follow. */
export function asyncResult(forLLM: string): ToolResult {
  return { forLLM, async: true };
}

/** Creates a failure. `error` is kept for logs; the code of a `KernelError` becomes the result's. */
export function errorResult(message: string, error?: unknown): ToolResult {
  if (error === undefined) return { forLLM: message, isError: true };
  return { forLLM: message, isError: true, error, ...(KernelError.is(error) ? { code: error.code } : {}) };
}

/** Creates the failure for a `KernelError`: `CODE: message hint` for the model, and the error for logs. */
export function toErrorResult(error: KernelError, outcome?: ToolOutcome): ToolResult {
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  const result = errorResult(`${error.code}: ${error.message}${hint}`, error);
  return outcome === undefined ? result : { ...result, outcome };
}

/**
 * Creates the result of a call that ran to its end, but whose result cannot be read. It is not a failure, after which a model would make the call
 * again: it says that the call ran, and why there is no result. `why` is a sentence; `error` is kept for logs.
 */
export function unreadableResult(toolName: string, why: string, error: unknown = new TypeError(why)): ToolResult {
  const forLLM = `"${toolName}" ran to its end, but its result cannot be read: ${why} Its effects have already taken place: do not call it again to get the result.`;
  return { forLLM, error };
}

/**
 * Returns the result of a call that ended only after it had been stopped, by its caller's abort or, with a `TOOL_TIMEOUT` as `stopped`, by its timeout. One that
 * says itself how it ended, by its `outcome` or its `code`, stays what it is. Of any other nobody knows whether the work was finished or broken off: it becomes
 * that error, which says so and repeats its text for the model; its text for the user is left out.
 */
export function resultAfterAbort(
  result: ToolResult,
  toolName: string,
  stopped: KernelError = cancelledError(toolName),
): ToolResult {
  const { async: _async, ...rest } = result;
  const { code, isError, outcome } = rest;
  if (outcome !== undefined && outcome !== 'pending' && TOOL_OUTCOMES.includes(outcome)) {
    const own = STOP_CODES[outcome];
    return isError === true && code === undefined && own !== undefined ? { ...rest, code: own } : rest;
  }
  const stoppedAs = stopped.code === 'TOOL_TIMEOUT' ? 'timeout' : 'cancelled';
  if (isError === true && code !== undefined)
    return { ...rest, outcome: code === 'OUTCOME_UNKNOWN' ? 'unknown' : stoppedAs };
  // A result that cannot be read says that the call ran to its end, which nobody knows of this one.
  const isUnreadable = isError !== true && rest.error !== undefined;
  const text = outcome === 'pending' || isUnreadable ? '' : toModelText(rest);
  const returned = text === '' ? '' : ` It returned: ${text}`;
  const failure = toErrorResult(stopped, stoppedAs);
  const { forUser: _forUser, ...kept } = rest;
  return { ...kept, ...failure, forLLM: `${failure.forLLM}${returned}` };
}

const STOP_CODES: Partial<Record<ToolOutcome, KernelErrorCode>> = {
  cancelled: 'TOOL_CANCELLED',
  timeout: 'TOOL_TIMEOUT',
};

function cancelledError(tool: string): KernelError {
  const message = `"${tool}" was cancelled while it ran; whether it has finished its work is unknown.`;
  return new KernelError('TOOL_CANCELLED', message, { data: { tool } });
}

/** Returns a copy of `result` with `error` set. If `forLLM` is empty, the model reads the message of the error; see `toModelText`. */
export function withError(result: ToolResult, error: unknown): ToolResult {
  return { ...result, error };
}

/** Whether a value is a result: an object whose own `forLLM` is a string. */
export function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'forLLM') && hasText(value);
}

/** Returns the text for the model: `forLLM`, or the message of the error, if there is one, where that is empty. Never empty for a failure. */
export function toModelText(result: ToolResult): string {
  if (result.forLLM !== '') return result.forLLM;
  const { error } = result;
  const message = error instanceof Error || KernelError.is(error) ? error.message : error;
  if (typeof message === 'string' && message !== '') return message;
  return result.isError !== true ? '' : `${result.code ?? 'TOOL_FAILED'}: the tool failed without a message.`;
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

/** The JSON form of a `ToolResult`: all of it except `error`. */
export type ToolResultJson = Omit<ToolResult, 'error'>;

/** Returns the JSON form of a result: every field that is set, except `error` and fields that `ToolResult` does not have. */
export function toResultJson(result: ToolResult): ToolResultJson {
  const json: { -readonly [K in keyof ToolResultJson]: unknown } = { forLLM: result.forLLM };
  for (const field of JSON_FIELDS) if (result[field] !== undefined) json[field] = result[field];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field is that of the result
  return json as ToolResultJson;
}

function hasText(value: object): boolean {
  return 'forLLM' in value && typeof value.forLLM === 'string';
}
