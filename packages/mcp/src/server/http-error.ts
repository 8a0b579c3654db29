/** Returns the body of a JSON-RPC error. The id is null where no request was understood. */
export function jsonRpcError(code: number, message: string, id: string | number | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
}

/** Returns the HTTP answer that holds a JSON-RPC error. */
export function errorResponse(
  status: number,
  code: number,
  message: string,
  more: { readonly id?: string | number | null; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const headers = { 'content-type': 'application/json', ...more.headers };
  return new Response(jsonRpcError(code, message, more.id), { status, headers });
}
