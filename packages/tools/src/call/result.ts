import {
  KernelError,
  type KernelErrorCode,
  type ToolOutcome,
  type ToolResult,
  isRepeatable,
  isToolResult,
  resultAfterAbort,
  toErrorResult,
  toModelText,
  unreadableResult,
} from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { failureText } from './failure-text.ts';
import { toJson } from './json-value.ts';
import type { HandlerEnd, SettledHandler, StoppedHandler } from './race-handler.ts';
import { checkFields } from './result-fields.ts';

/** The codes that a handler can use for its own failures; an error with any other code becomes `TOOL_FAILED`. */
const HANDLER_CODES: ReadonlySet<KernelErrorCode> = new Set([
  'TOOL_FAILED',
  'TOOL_DENIED',
  'TOOL_UNAVAILABLE',
  'ARGUMENTS_INVALID',
  'OUTCOME_UNKNOWN',
  'STORE_FAILED',
]);

export function handlerResult(end: HandlerEnd, binding: ToolBinding, timeoutMs: number): ToolResult {
  const { name } = binding.tool;
  switch (end.kind) {
    case 'value':
      return validateOutput(toResult(end.value, binding), binding);
    case 'error':
      return failedResult(end.error, name);
    case 'unread':
      return unreadableHandlerResult(readingFailed(end.error), binding, end.error);
    case 'changed':
      return changedInputResult(name);
    case 'timeout':
    case 'aborted':
      return stoppedResult(end, binding, timeoutMs);
    default:
      return end satisfies never;
  }
}

/** The result of a call whose caller aborted it before its handler was entered. */
export function cancelledBeforeStartResult(toolName: string): ToolResult {
  return cancelledResult(toolName, 'was cancelled before it started.', 'cancelled');
}

/** The result of a call whose arguments have changed after they were shown. */
function changedInputResult(name: string): ToolResult {
  const message = `"${name}" did not run: its arguments have changed since they were shown.`;
  return toErrorResult(new KernelError('TOOL_SKIPPED', message), 'skipped');
}

/** The result of a call that was stopped while it ran. What the handler says of its end is kept. */
function stoppedResult(stopped: StoppedHandler, binding: ToolBinding, timeoutMs: number): ToolResult {
  const { kind, settled } = stopped;
  const { name } = binding.tool;
  const isTimeout = kind === 'timeout';
  const errorFor = (state: string): KernelError =>
    isTimeout
      ? new KernelError('TOOL_TIMEOUT', `"${name}" did not finish within ${timeoutMs} ms and was ${state}`, {
          retryable: true,
          data: { tool: name, timeoutMs },
        })
      : new KernelError('TOOL_CANCELLED', `"${name}" was cancelled and ${state}`, { data: { tool: name } });
  if (settled === undefined)
    return isTimeout
      ? toErrorResult(errorFor('abandoned; what it has done so far is unknown.'), 'timeout')
      : cancelledResult(name, 'was cancelled, but is still running; its effect is unknown.', 'abandoned');
  const end = withReturnedError(settled);
  const unknown = isTimeout ? errorFor('stopped; whether it has finished its work is unknown.') : undefined;
  if (end.kind === 'value') return resultAfterAbort(toResult(end.value, binding), name, unknown);
  const { error } = end;
  const as = isTimeout ? 'timeout' : 'cancelled';
  const done = isRepeatable(binding.tool.effect) ? '.' : '; what it has done so far is unknown.';
  try {
    if (KernelError.is(error) && HANDLER_CODES.has(error.code))
      return resultAfterAbort(failedResult(error, name), name, unknown);
    return toErrorResult(errorFor(`stopped${done}${reasonOf(error)}`), as);
  } catch {
    // A thrown value can be a proxy, or have getters that throw.
    return toErrorResult(errorFor(`stopped${done}`), as);
  }
}

/** How a handler settled; an error that it returned counts as thrown. */
function withReturnedError(settled: SettledHandler): SettledHandler {
  if (settled.kind === 'error') return settled;
  try {
    return settled.value instanceof Error ? { kind: 'error', error: settled.value } : settled;
  } catch {
    return settled; // a proxy, of which the result is read later
  }
}

/** The text of what a handler threw after it was stopped, unless that is only the abort itself. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return '';
  return ` It reported: ${failureText(error)}`;
}

function cancelledResult(toolName: string, how: string, outcome: ToolOutcome): ToolResult {
  const data = { tool: toolName };
  return toErrorResult(new KernelError('TOOL_CANCELLED', `"${toolName}" ${how}`, { data }), outcome);
}

export function failedResult(error: unknown, toolName: string): ToolResult {
  try {
    return resultOfError(error, toolName);
  } catch {
    const message = `"${toolName}" failed: it threw a value that cannot be read.`;
    return toErrorResult(new KernelError('TOOL_FAILED', message, { data: { tool: toolName } }));
  }
}

function resultOfError(error: unknown, toolName: string): ToolResult {
  if (KernelError.is(error) && HANDLER_CODES.has(error.code)) {
    const { code, message, hint } = error;
    // Anything can carry the brand of a KernelError.
    if (typeof message === 'string' && (hint === undefined || typeof hint === 'string'))
      return toErrorResult(error, code === 'TOOL_DENIED' ? 'denied' : undefined);
  }
  const message = `"${toolName}" failed: ${failureText(error)}`;
  return toErrorResult(
    new KernelError('TOOL_FAILED', message, { cause: error, retryable: isRetryable(error), data: { tool: toolName } }),
  );
}

/** Does the work of a call; what it throws at once becomes a failed result. A call may be an object with getters that throw. */
export function catchSync<T>(toolName: string, work: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return work();
  } catch (error) {
    return Promise.resolve(failedResult(error, toolName));
  }
}

/**
 * The result of a handler that ended and whose result cannot be read. If the tool may have changed something, it is not a failure: after a failure a model
 * would make the call again.
 */
export function unreadableHandlerResult(
  why: string,
  { tool }: ToolBinding,
  cause: unknown = new TypeError(why),
): ToolResult {
  if (isRepeatable(tool.effect)) return failedResult(cause, tool.name);
  return unreadableResult(tool.name, `${failureText(why).replace(/[.]$/, '')}.`, cause);
}

/** Turns whatever a handler returned into a result. Never throws, whatever its getters do. */
export function toResult(value: unknown, binding: ToolBinding): ToolResult {
  try {
    return readValue(value, binding);
  } catch (error) {
    return unreadableHandlerResult(readingFailed(error), binding, error);
  }
}

/** Describes what reading a value threw; the thrown value may be as hostile. */
function readingFailed(error: unknown): string {
  try {
    return `reading it failed: ${failureText(error)}`;
  } catch {
    return 'reading it failed';
  }
}

function readValue(value: unknown, binding: ToolBinding): ToolResult {
  if (typeof value === 'string') return { forLLM: value };
  if (value === undefined) return { forLLM: 'done' };
  if (isToolResult(value)) return copyResult(value, binding);
  if (value instanceof Error) return failedResult(value, binding.tool.name);
  const copy = toJson(value);
  if (copy.problem !== undefined) return unreadableHandlerResult(`it returned ${copy.problem}`, binding);
  return { forLLM: copy.text, data: copy.json };
}

/** The result of a call that was rejected before any handler ran. */
export function refusedResult(error: KernelError): ToolResult {
  return toErrorResult(error, REFUSED_OUTCOMES[error.code]);
}

const REFUSED_OUTCOMES: Partial<Record<KernelErrorCode, ToolOutcome>> = {
  TOOL_DENIED: 'denied',
  TOOL_CANCELLED: 'cancelled',
  TOOL_TIMEOUT: 'timeout',
};

/** The error of a failed result; created from its text if the handler returned none. */
export function errorOf(result: ToolResult): KernelError {
  if (KernelError.is(result.error)) return result.error;
  const message = result.forLLM === '' ? 'The tool failed without a message.' : result.forLLM;
  return new KernelError(result.code ?? 'TOOL_FAILED', message, { cause: result.error });
}

/**
 * Copies a result, so that each of its fields is read once: a getter or proxy can throw, or return something else the next time. Then its fields
 * are checked, and its data becomes plain JSON. A member `then` is left out: with it the result would be a promise.
 */
function copyResult(value: ToolResult, binding: ToolBinding): ToolResult {
  let result = { ...value };
  if ('then' in result) {
    const { then: _then, ...rest } = result;
    result = rest;
  }
  const { media } = result;
  if (Array.isArray(media))
    result = {
      ...result,
      media: media.map((part) => (typeof part === 'object' && part !== null ? { ...part } : part)),
    };
  const checked = checkFields(result);
  // A result with `isError` stays a failure.
  const report = (why: string): ToolResult =>
    result.isError === true
      ? failedResult(new TypeError(why), binding.tool.name)
      : unreadableHandlerResult(why, binding);
  if (checked.problem !== undefined) return report(`it returned ${checked.problem}`);
  const { data, forLLM } = checked.result;
  if (forLLM === '') toModelText(checked.result); // reads the message of the error
  if (data === undefined || typeof data === 'string') return checked.result;
  const copy = toJson(data);
  if (copy.problem === undefined) return { ...checked.result, data: copy.json };
  return report(`its data has ${copy.problem}`);
}

function validateOutput(result: ToolResult, binding: ToolBinding): ToolResult {
  if (binding.output === undefined || result.isError === true || result.async === true) return result;
  if (result.data === undefined && result.error !== undefined) return result; // it could not be read
  const [issue] = binding.output().issues(result.data);
  if (issue === undefined) return result;
  const { name } = binding.tool;
  const path = issue.path === '' ? '/' : issue.path;
  const mismatch = `data that does not match its output schema: at "${path}", expected ${issue.expected}.`;
  if (!isRepeatable(binding.tool.effect)) return unreadableHandlerResult(`it returned ${mismatch}`, binding);
  const message = `"${name}" returned ${mismatch}`;
  return toErrorResult(new KernelError('TOOL_FAILED', message, { data: { tool: name, path: issue.path } }));
}

function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
}
