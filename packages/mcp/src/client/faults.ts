import { KernelError, type ToolResult, toErrorResult, type Tool } from '@kernel/protocol';
import type { Link } from './link.ts';
import { ANSWER_LOST } from './http-link.ts';

/** What a failed request means for the connection and the call. */
export type Fault =
  /** The server never saw the request: a new connection may be tried. */
  | { readonly kind: 'unsent'; readonly cause: string }
  /** The connection broke before the answer came. */
  | { readonly kind: 'lost'; readonly cause: string }
  | { readonly kind: 'timeout' }
  /** The server answered with a JSON-RPC error. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'other'; readonly cause: string };

const INVALID_PARAMS = -32_602;

/** Tells what kind of failure an error of the SDK or of fetch is. */
export function toFault(error: unknown, link: Link): Fault {
  const { code, status } = fieldsOf(error);
  if (code === 'REQUEST_TIMEOUT') return { kind: 'timeout' };
  if (code === ANSWER_LOST || code === 'CONNECTION_CLOSED') return { kind: 'lost', cause: causeOf(error, link) };
  if (link.broken() !== undefined || code === 'NOT_CONNECTED') return { kind: 'lost', cause: causeOf(error, link) };
  if (typeof code === 'number') return { kind: 'refused', code, message: messageOf(error) };
  // 404 says that the session is unknown, as after a restart; the request was not run. Many servers answer 400 with words instead.
  if (status === 404 || (status === 400 && /\bsession\b/i.test(messageOf(error))))
    return { kind: 'unsent', cause: 'has ended the session' };
  const system = systemCode(error);
  if (system === 'ECONNREFUSED' || system === 'ENOTFOUND') return { kind: 'unsent', cause: causeOf(error, link) };
  if (error instanceof TypeError) return { kind: 'lost', cause: causeOf(error, link) };
  return { kind: 'other', cause: causeOf(error, link) };
}

/** Why a request failed, as the end of a sentence that begins with the server. */
export function causeOf(error: unknown, link: Link): string {
  const broken = link.broken();
  if (broken !== undefined) return broken;
  const { code, status } = fieldsOf(error);
  if (status === 401 || status === 403) return `refused the credentials (HTTP ${status})`;
  if (status !== undefined) return `answered with HTTP ${status}: ${clip(messageOf(error))}`;
  const system = systemCode(error);
  if (system !== undefined) return `could not be reached (${system})`;
  if (code === 'REQUEST_TIMEOUT') return 'did not answer in time';
  if (code === 'CONNECTION_CLOSED') return 'closed the connection';
  if (code === ANSWER_LOST) return 'went away before it had answered';
  return `could not be used: ${clip(messageOf(error))}`;
}

/** The result of a call that failed, for a model: names tool and server, says whether the call ran, and ends with the last words on stderr. */
export function toFaultResult(
  fault: Fault,
  tool: Tool,
  server: string,
  timeoutMs: number,
  redact: (text: string) => string,
  lastWords: string,
): ToolResult {
  const stderr = lastWords === '' ? '' : ` Its last lines on stderr:\n${lastWords}`;
  const data = { tool: tool.name, server };
  switch (fault.kind) {
    case 'timeout': {
      const text = `"${tool.name}" of MCP server "${server}" gave neither answer nor progress for ${timeoutMs} ms and was told to stop; what it did so far is unknown.`;
      return toErrorResult(
        new KernelError('TOOL_TIMEOUT', text, { retryable: true, data: { ...data, timeoutMs } }),
        'timeout',
      );
    }
    case 'refused': {
      const code = fault.code === INVALID_PARAMS ? 'ARGUMENTS_INVALID' : 'TOOL_FAILED';
      const text = `MCP server "${server}" refused the call of "${tool.name}": ${clip(fault.message)} (JSON-RPC ${fault.code}).`;
      return toErrorResult(new KernelError(code, redact(text), { data: { ...data, rpcCode: fault.code } }));
    }
    case 'unsent': {
      const text = `MCP server "${server}" ${fault.cause}; "${tool.name}" did not run.${stderr}`;
      return toErrorResult(new KernelError('TOOL_UNAVAILABLE', redact(text), { retryable: true, data }));
    }
    case 'other': {
      const text = `MCP server "${server}" ${fault.cause}, in the call of "${tool.name}".${stderr}`;
      return toErrorResult(new KernelError('TOOL_FAILED', redact(text), { data }));
    }
    case 'lost': {
      const head = `MCP server "${server}" ${fault.cause} during the call of "${tool.name}".`;
      const isRepeatable = tool.effect === 'read' || tool.effect === 'idempotent';
      if (isRepeatable)
        return toErrorResult(
          new KernelError('TOOL_FAILED', redact(`${head} The call may be tried again.${stderr}`), {
            retryable: true,
            data,
          }),
        );
      const text = `${head} Whether it took effect is unknown: look before calling again.${stderr}`;
      return toErrorResult(new KernelError('OUTCOME_UNKNOWN', redact(text), { data }), 'unknown');
    }
    default:
      return fault satisfies never;
  }
}

function fieldsOf(error: unknown): { readonly code?: unknown; readonly status?: number } {
  if (typeof error !== 'object' || error === null) return {};
  const code = 'code' in error ? error.code : undefined;
  const status = 'status' in error && typeof error.status === 'number' ? error.status : undefined;
  return { code, ...(status === undefined ? {} : { status }) };
}

/** Node's code of a network error, which fetch hides in causes. */
function systemCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const { code } = fieldsOf(at);
    if (typeof code === 'string' && /^(?:E[A-Z]+|UND_[A-Z_]+)$/.test(code)) return code;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

function clip(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ').replace(/\.$/, '');
  return line.length > 400 ? `${line.slice(0, 399)}…` : line;
}
