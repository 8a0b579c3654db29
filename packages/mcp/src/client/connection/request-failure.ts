import { errorMessage, truncate } from '@kernel/internal';
import {
  isRepeatable,
  KernelError,
  type KernelErrorCode,
  type KernelErrorOptions,
  toErrorResult,
  type Tool,
  type ToolOutcome,
  type ToolResult,
  unreadableResult,
} from '@kernel/protocol';
import { RESPONSE_LOST, type ServerLink } from '../transport/server-link.ts';
import { INVALID_PARAMS } from '../../json-rpc.ts';

type RequestFailure =
  /** The server never saw the request: a new connection may be tried. */
  | { readonly kind: 'not-sent'; readonly cause: string }
  /** The connection broke before the response came. */
  | { readonly kind: 'lost'; readonly cause: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'rpc-error'; readonly code: number; readonly message: string }
  | { readonly kind: 'unreadable'; readonly cause: string }
  | { readonly kind: 'other'; readonly cause: string };

export function toRequestFailure(error: unknown, link: ServerLink): RequestFailure {
  const { code, status } = fieldsOf(error);
  if (code === 'REQUEST_TIMEOUT') return { kind: 'timeout' };
  if (code === TASK_LOST) return { kind: 'lost', cause: toLine(errorMessage(error)) };
  if (code === RESPONSE_LOST || code === 'CONNECTION_CLOSED') return { kind: 'lost', cause: causeOf(error, link) };
  if (link.failure() !== undefined || code === 'NOT_CONNECTED') return { kind: 'lost', cause: causeOf(error, link) };
  if (code === 'INVALID_RESULT') return { kind: 'unreadable', cause: toLine(withCause(error)) };
  if (typeof code === 'number') return { kind: 'rpc-error', code, message: withCause(error) };
  // 404 means that the session is unknown, for example after a restart; the request did not run. Many servers send 400 with a text instead.
  if (status === 404 || (status === 400 && /\bsession\b/i.test(withCause(error))))
    return { kind: 'not-sent', cause: 'has ended the session' };
  const system = systemCode(error);
  if (system === 'ECONNREFUSED' || system === 'ENOTFOUND') return { kind: 'not-sent', cause: causeOf(error, link) };
  if (error instanceof TypeError) return { kind: 'lost', cause: causeOf(error, link) };
  return { kind: 'other', cause: causeOf(error, link) };
}

const TASK_LOST = 'TASK_LOST';

/** The failure of a call whose task cannot be followed any further: what became of it is unknown. */
export function lostTask(cause: string): Error {
  return Object.assign(new Error(cause), { code: TASK_LOST });
}

/** Why a request failed, to follow the server's name in a sentence. */
export function causeOf(error: unknown, link: ServerLink): string {
  const failure = link.failure();
  if (failure !== undefined) return failure;
  const { code, status } = fieldsOf(error);
  const own = ownError(error);
  if (own !== undefined)
    return `could not be used: ${toLine(own.message)}${own.hint === undefined ? '' : `. ${toLine(own.hint)}`}`;
  if (status === 401 || status === 403) return `refused the credentials (HTTP ${status})`;
  if (status !== undefined) return `answered with HTTP ${status}: ${toLine(withCause(error))}`;
  const system = systemCode(error);
  if (system !== undefined) return `could not be reached (${system})`;
  if (code === 'REQUEST_TIMEOUT') return 'did not answer in time';
  if (code === 'CONNECTION_CLOSED') return 'closed the connection';
  if (code === RESPONSE_LOST) return 'went away before it had answered';
  return `could not be used: ${toLine(withCause(error))}`;
}

export function toLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ').replace(/\.$/, '');
  return truncate(line, 400);
}

function fieldsOf(error: unknown): { readonly code?: unknown; readonly status?: number } {
  if (typeof error !== 'object' || error === null) return {};
  const code = 'code' in error ? error.code : undefined;
  const status = 'status' in error && typeof error.status === 'number' ? error.status : undefined;
  return { code, ...(status === undefined ? {} : { status }) };
}

/** What a `fetch` of ours has thrown, such as a sign-in that failed; the SDK hides it in causes. */
function ownError(error: unknown): KernelError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth += 1)
    if (KernelError.is(cause)) return cause;
  return undefined;
}

/** Node's code of a network error, which fetch hides in causes. */
export function systemCode(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth += 1) {
    const { code } = fieldsOf(cause);
    if (typeof code === 'string' && /^(?:E[A-Z]+|UND_[A-Z_]+)$/.test(code)) return code;
  }
  return undefined;
}

function withCause(error: unknown): string {
  const message = errorMessage(error);
  return error instanceof Error && error.cause instanceof Error ? `${message} (${errorMessage(error.cause)})` : message;
}

interface CallLimits {
  readonly timeoutMs: number;
  readonly maxCallMs: number;
  readonly redact: (text: string) => string;
}

/**
 * Returns the result of a call that was sent at `startedMs` of `performance.now()` and whose request failed: it names
 * tool and server, says whether the call ran, and ends with the last lines of stderr.
 */
export function failureResult(
  failure: RequestFailure,
  tool: Tool,
  server: string,
  startedMs: number,
  link: ServerLink,
  { timeoutMs, maxCallMs, redact }: CallLimits,
): ToolResult {
  const stderrTail = link.stderrTail();
  const stderr = stderrTail === '' ? '' : ` Its last lines on stderr:\n${stderrTail}`;
  const data = { tool: tool.name, server };
  const canRepeat = isRepeatable(tool.effect);
  const fail = (code: KernelErrorCode, text: string, more?: KernelErrorOptions, outcome?: ToolOutcome): ToolResult =>
    toErrorResult(new KernelError(code, redact(text), { data, ...more }), outcome);
  switch (failure.kind) {
    case 'timeout': {
      const isTotal = maxCallMs > 0 && performance.now() - startedMs >= maxCallMs - 1;
      const why = isTotal
        ? `sent no result within ${maxCallMs} ms (maxCallMs)`
        : `sent neither a result nor progress for ${timeoutMs} ms`;
      const text = `"${tool.name}" of MCP server "${server}" ${why} and was told to stop; what it did so far is unknown.`;
      const limit = isTotal ? { maxCallMs } : { timeoutMs };
      return fail('TOOL_TIMEOUT', text, { retryable: true, data: { ...data, ...limit } }, 'timeout');
    }
    case 'rpc-error': {
      const code = failure.code === INVALID_PARAMS ? 'ARGUMENTS_INVALID' : 'TOOL_FAILED';
      const text = `MCP server "${server}" refused the call of "${tool.name}": ${toLine(failure.message)} (JSON-RPC ${failure.code}).`;
      return fail(code, text, { data: { ...data, rpcCode: failure.code } });
    }
    case 'not-sent': {
      const text = `MCP server "${server}" ${failure.cause}; "${tool.name}" did not run.${stderr}`;
      return fail('TOOL_UNAVAILABLE', text, { retryable: true });
    }
    case 'unreadable': {
      const why = `MCP server "${server}" responded with something that is not a result: ${failure.cause}.`;
      return canRepeat
        ? fail('TOOL_FAILED', `"${tool.name}" failed: ${why}`)
        : unreadableResult(tool.name, redact(why));
    }
    case 'other':
      return fail('TOOL_FAILED', `MCP server "${server}" ${failure.cause}, in the call of "${tool.name}".${stderr}`);
    case 'lost': {
      const what = `MCP server "${server}" ${failure.cause} during the call of "${tool.name}".`;
      if (canRepeat) return fail('TOOL_FAILED', `${what} The call may be tried again.${stderr}`, { retryable: true });
      const text = `${what} Whether it took effect is unknown: check before calling again.${stderr}`;
      return fail('OUTCOME_UNKNOWN', text, {}, 'unknown');
    }
    default:
      return failure satisfies never;
  }
}
