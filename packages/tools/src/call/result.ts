import {
  KernelError,
  type KernelErrorCode,
  type ToolOutcome,
  type ToolResult,
  isToolResult,
  toErrorResult,
} from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { asJson } from '../unsafe-casts.ts';
import { describeFailure } from './redact-result.ts';
import type { Settled } from './race-handler.ts';

/** The codes that a handler may use for its own failures; any other error becomes `TOOL_FAILED`. */
const OWN_CODES: ReadonlySet<KernelErrorCode> = new Set([
  'TOOL_FAILED',
  'TOOL_DENIED',
  'TOOL_UNAVAILABLE',
  'ARGUMENTS_INVALID',
  'OUTCOME_UNKNOWN',
]);

/** Turns the end of a handler into the result that the model reads. Never throws. */
export function toOutcome(settled: Settled, binding: ToolBinding, timeoutMs: number): ToolResult {
  const { name } = binding.tool;
  switch (settled.kind) {
    case 'value':
      return checked(wrapValue(settled.value, name), binding);
    case 'error':
      return failure(settled.error, name);
    case 'timeout': {
      const message = `"${name}" did not end within ${timeoutMs} ms and was left; what it did so far is unknown.`;
      return toErrorResult(
        new KernelError('TOOL_TIMEOUT', message, { retryable: true, data: { tool: name, timeoutMs } }),
        'timeout',
      );
    }
    case 'aborted':
      return cancelled(name, settled.end);
    default:
      return settled satisfies never;
  }
}

/** The result of a call whose caller has aborted: three texts, for a handler that stopped, finished nevertheless, or still runs. */
export function cancelled(name: string, end: 'value' | 'error' | 'never-started' | undefined): ToolResult {
  const messages = {
    value: `"${name}" was cancelled, but had finished its work.`,
    error: `"${name}" was cancelled and stopped.`,
    'never-started': `"${name}" was cancelled before it started.`,
  };
  const message =
    end === undefined ? `"${name}" was cancelled, but still runs; what it does is unknown.` : messages[end];
  return toErrorResult(
    new KernelError('TOOL_CANCELLED', message, { data: { tool: name } }),
    end === undefined ? 'abandoned' : 'cancelled',
  );
}

/** The result of a handler that threw. The thrown value is kept as the cause, for logs. */
export function failure(error: unknown, name: string): ToolResult {
  if (KernelError.is(error) && OWN_CODES.has(error.code)) {
    return toErrorResult(error, error.code === 'TOOL_DENIED' ? 'denied' : undefined);
  }
  const message = `"${name}" failed: ${describeFailure(error)}`;
  return toErrorResult(
    new KernelError('TOOL_FAILED', message, { cause: error, retryable: isRetryable(error), data: { tool: name } }),
  );
}

/** Makes a result of whatever a handler returned. */
export function wrapValue(value: unknown, name: string): ToolResult {
  if (typeof value === 'string') return { forLLM: value };
  if (value === undefined) return { forLLM: 'done' };
  if (isToolResult(value)) return value.data === undefined ? value : withJsonData(value, name);
  if (value instanceof Error) return failure(value, name);
  return fromJson(value) ?? failure(new TypeError('it returned something that JSON cannot hold'), name);
}

function withJsonData(result: ToolResult, name: string): ToolResult {
  const wrapped = typeof result.data === 'string' ? result : fromJson(result.data);
  return wrapped === undefined ? failure(new TypeError('its data holds something that JSON cannot'), name) : result;
}

function fromJson(value: unknown): ToolResult | undefined {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    return undefined;
  }
  if (text === undefined) return undefined;
  return { forLLM: text, data: asJson(JSON.parse(text)) };
}

function checked(result: ToolResult, binding: ToolBinding): ToolResult {
  if (binding.output === undefined || result.isError === true || result.async === true) return result;
  const [fault] = binding.output().faults(result.data);
  if (fault === undefined) return result;
  const { name } = binding.tool;
  const message = `"${name}" returned data that does not fit its output schema: at "${fault.path === '' ? '/' : fault.path}", expected ${fault.expected}.`;
  return toErrorResult(new KernelError('TOOL_FAILED', message, { data: { tool: name, path: fault.path } }));
}

function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
}

/** A refusal before any handler: nothing has run. */
export function refusal(error: KernelError): ToolResult {
  const outcomes: Partial<Record<KernelErrorCode, ToolOutcome>> = {
    TOOL_DENIED: 'denied',
    TOOL_CANCELLED: 'cancelled',
    TOOL_TIMEOUT: 'timeout',
  };
  return toErrorResult(error, outcomes[error.code]);
}

/** The error behind a failed result, made up from its text where the handler gave none. */
export function errorOf(result: ToolResult): KernelError {
  if (KernelError.is(result.error)) return result.error;
  return new KernelError(
    result.code ?? 'TOOL_FAILED',
    result.forLLM === '' ? 'The tool failed without a message.' : result.forLLM,
    {
      cause: result.error,
    },
  );
}
