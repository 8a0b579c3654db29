/** JSON-RPC's code for text that is not valid JSON. */
export const PARSE_ERROR = -32_700;

/** JSON-RPC's code for JSON that is not a valid message. */
export const INVALID_REQUEST = -32_600;

/** JSON-RPC's code for invalid parameters. */
export const INVALID_PARAMS = -32_602;

/** JSON-RPC's code for a failure of the server itself. */
export const INTERNAL_ERROR = -32_603;

/** Creates an error that the SDK sends as a JSON-RPC error with this code and message. */
export function rpcError(code: number, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}
