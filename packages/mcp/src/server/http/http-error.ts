import type { RequestId } from '../rpc-message.ts';

export function jsonRpcError(code: number, message: string, id: RequestId | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
}

export function errorResponse(
  status: number,
  code: number,
  message: string,
  more: { readonly id?: RequestId | null; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const headers = { 'content-type': 'application/json', ...more.headers };
  return new Response(jsonRpcError(code, message, more.id), { status, headers });
}
