import { isObject } from '@kernel/internal';

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
