export const PARSE_ERROR = -32_700;

export const INVALID_REQUEST = -32_600;

export const INVALID_PARAMS = -32_602;

export const INTERNAL_ERROR = -32_603;

/** Creates an error that the SDK sends as a JSON-RPC error with this code and message. */
export function rpcError(code: number, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}
