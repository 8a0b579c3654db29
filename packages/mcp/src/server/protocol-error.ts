/** What JSON-RPC says of a request that cannot be served. */
export const INVALID_PARAMS = -32_602;

/** What JSON-RPC says when the server itself failed. */
export const INTERNAL_ERROR = -32_603;

/** Makes an error that the SDK answers as a JSON-RPC error with this code and message. */
export function protocolError(code: number, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}

/** Returns what an unknown thrown value says of itself. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
