import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** The response to a request over a bare socket. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The JSON of the body, or of the last event of a stream. */
  readonly json: unknown;
}

/** Sends one request with exactly these headers, Host and Origin included, which `fetch` would not let through. */
export async function send(
  url: string,
  body: string | undefined,
  headers: Readonly<Record<string, string>> = {},
  method = body === undefined ? 'GET' : 'POST',
): Promise<RawResponse> {
  const sent = request(url, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: jsonOf(text) };
}

/** The text of a JSON-RPC message. */
export function rpc(method: string, params: unknown = {}, id: number | string | undefined = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params });
}

/** The parameters of `initialize` for a protocol version. */
export function hello(protocolVersion = '2025-11-25'): unknown {
  return { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
}

/** The `_meta` that every request of the 2026-07-28 protocol bears. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Opens a session and returns the headers of its requests. */
export async function openSession(url: string): Promise<Readonly<Record<string, string>>> {
  const { headers } = await send(url, rpc('initialize', hello()));
  const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
  await send(url, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), session);
  return session;
}

function jsonOf(text: string): unknown {
  const data = text.split('\n').findLast((line) => line.startsWith('data: '));
  try {
    return JSON.parse(data === undefined ? text : data.slice('data: '.length)) as unknown;
  } catch {
    return undefined;
  }
}
