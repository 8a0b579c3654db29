import { isObject } from '@kernel/internal';
import type { StandardSchemaV1 } from '@modelcontextprotocol/client';

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/** Makes a schema, as the SDK takes it, of a function that validates. */
export function toSchema<T>(validate: (value: unknown) => StandardSchemaV1.Result<T>): StandardSchemaV1<unknown, T> {
  return { '~standard': { version: 1, vendor: 'kernel', validate } };
}

/** A schema that accepts anything: the handler checks the parameters itself, so that invalid ones get the right error code. */
export const ANY_PARAMS = toSchema((value) => ({ value }));

/** Creates an error that the SDK sends as a JSON-RPC error with this code and message. */
export function rpcError(code: number, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}

export type RequestId = string | number;

/** Returns the ids of the requests in a body, which may be a batch. */
export function requestIds(body: unknown): readonly RequestId[] {
  return messagesOf(body).flatMap((message) => {
    const id = requestIdOf(message);
    return id === null ? [] : [id];
  });
}

/** Returns the id of a request, or null for anything else. */
export function requestIdOf(message: unknown): RequestId | null {
  if (!isObject(message) || !('method' in message) || !isRequestId(message['id'])) return null;
  return message['id'];
}

export function cancelledIds(body: unknown): readonly RequestId[] {
  return messagesOf(body).flatMap((message) => {
    if (!isObject(message) || message['method'] !== 'notifications/cancelled') return [];
    const { params } = message;
    return isObject(params) && isRequestId(params['requestId']) ? [params['requestId']] : [];
  });
}

/** Whether a body is meant to open a session, validly or not. */
export function isInitialize(body: unknown): boolean {
  return isObject(body) && body['method'] === 'initialize';
}

function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

export function jsonRpcError(code: number, message: string, id: RequestId | null = null, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id });
}

export function errorResponse(
  status: number,
  code: number,
  message: string,
  more: {
    readonly id?: RequestId | null;
    readonly headers?: Readonly<Record<string, string>>;
    readonly data?: unknown;
  } = {},
): Response {
  const headers = { 'content-type': 'application/json', ...more.headers };
  return new Response(jsonRpcError(code, message, more.id, more.data), { status, headers });
}
