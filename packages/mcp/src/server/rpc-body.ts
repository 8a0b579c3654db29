/** Returns the ids of the requests in a body, which may be a batch. */
export function requestIds(body: unknown): readonly (string | number)[] {
  return messagesOf(body).flatMap((message) => {
    const id = requestIdOf(message);
    return id === null ? [] : [id];
  });
}

/** Returns the id of a request, or null for what is none. */
export function requestIdOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return null;
  return isId(message.id) ? message.id : null;
}

/** Returns the ids of the requests that a body cancels. */
export function cancelledIds(body: unknown): readonly (string | number)[] {
  return messagesOf(body).flatMap((message) => {
    if (methodOf(message) !== 'notifications/cancelled') return [];
    if (typeof message !== 'object' || message === null || !('params' in message)) return [];
    const { params } = message;
    if (typeof params !== 'object' || params === null || !('requestId' in params)) return [];
    return isId(params.requestId) ? [params.requestId] : [];
  });
}

/** Says whether a body means to open a session, well or badly. */
export function isInitialize(body: unknown): boolean {
  return methodOf(body) === 'initialize';
}

function methodOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;
}

function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
