import type { RequestId } from '../rpc-message.ts';

/** Returns the body of a JSON-RPC error. The id is null if no request could be read. */
export function jsonRpcError(code: number, message: string, id: RequestId | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
}

/** Returns the HTTP response that carries a JSON-RPC error. */
export function errorResponse(
  status: number,
  code: number,
  message: string,
  more: { readonly id?: RequestId | null; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const headers = { 'content-type': 'application/json', ...more.headers };
  return new Response(jsonRpcError(code, message, more.id), { status, headers });
}
