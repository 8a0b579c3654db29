import { toJsonText } from '@kernel/internal';
import { checkNumber } from '@kernel/protocol';
import { toByteStream } from './byte-stream.ts';

/** How events become a response. */
export interface SseOptions {
  /** How long the connection may be silent before a comment is sent, in milliseconds. 0: none is sent. Default 15,000. */
  readonly heartbeatMs?: number | undefined;
  /** Ends the response and the iteration, for servers that do not cancel responses: pass the signal of the request. */
  readonly signal?: AbortSignal | undefined;
  /** Headers to add. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** How long a connection may be silent before a comment is sent, in milliseconds: proxies commonly close one after 30 to 60 seconds. */
const HEARTBEAT_MS = 15_000;

export function toFrame(value: unknown, id?: number): string {
  const prefix = id === undefined ? '' : `id: ${id}\n`;
  return `${prefix}data: ${toJsonText(value)}\n\n`;
}

/** Throws `CONFIG_INVALID` for an invalid interval. */
export function checkHeartbeat(owner: string, { heartbeatMs }: SseOptions): void {
  if (heartbeatMs !== undefined) checkNumber(owner, 'heartbeatMs', heartbeatMs, 0);
}

export function sseResponse(
  frames: AsyncIterable<string>,
  { heartbeatMs = HEARTBEAT_MS, signal, headers }: SseOptions,
  added: Readonly<Record<string, string>> = {},
): Response {
  const body = toByteStream(frames, { heartbeat: ': waiting\n\n', heartbeatMs, signal });
  return new Response(body, { headers: { ...HEADERS, ...added, ...headers } });
}
