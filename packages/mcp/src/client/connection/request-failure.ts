import { errorMessage, truncate } from '@kernel/internal';
import { RESPONSE_LOST } from '../transport/http-link.ts';
import type { ServerLink } from '../transport/server-link.ts';

export type RequestFailure =
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

/** Node's code of a network error, which fetch hides in causes. */
function systemCode(error: unknown): string | undefined {
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
