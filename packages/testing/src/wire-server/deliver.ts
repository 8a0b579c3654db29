/* oxlint-disable no-await-in-loop -- the bytes are sent in order */
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { WireFault } from './reply.ts';

export interface WireBytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, each chunk in its own write; `waitMs` pauses. */
  readonly chunks: readonly (string | Uint8Array | { readonly waitMs: number })[];
}

/** Sends a response with its fault. Resolves when there is nothing left to send; a stalled response stays open. */
export async function deliver(response: ServerResponse, bytes: WireBytes, fault: WireFault = {}): Promise<void> {
  if (fault.beforeHead === 'stall') return;
  if (fault.beforeHead === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(bytes.status, bytes.headers);
  const limit = Math.min(fault.cutAfter ?? Infinity, fault.resetAfter ?? Infinity, fault.stallAfter ?? Infinity);
  const whole = inOneWrite(bytes, fault, limit);
  if (whole !== undefined) {
    response.end(whole);
    return;
  }
  response.flushHeaders();
  let sent = 0;
  for (const chunk of bytes.chunks) {
    if (response.destroyed || sent >= limit) break;
    if (typeof chunk === 'object' && 'waitMs' in chunk) {
      await wait(chunk.waitMs);
      continue;
    }
    const part = toBuffer(chunk).subarray(0, limit - sent);
    for (const piece of split(part, sent, fault.splitAt ?? [])) {
      if (fault.delayMs !== undefined) await wait(fault.delayMs);
      await write(response, piece);
    }
    sent += part.length;
  }
  if (fault.stallAfter !== undefined) return;
  if (fault.resetAfter !== undefined) response.socket?.resetAndDestroy();
  else response.end();
}

/** The longest body that leaves in one write with its head and its end. */
const ONE_WRITE_BYTES = 65_536;

/** A short body that is one chunk and ends properly, as far as it is sent: head, body and end leave in one write. */
function inOneWrite({ chunks }: WireBytes, fault: WireFault, limit: number): Uint8Array | undefined {
  // A generator of chunks has no length, and may not be read ahead.
  if (chunks.length !== 1) return undefined;
  const [chunk] = chunks;
  if (chunk === undefined || (typeof chunk === 'object' && 'waitMs' in chunk)) return undefined;
  if (chunk.length > ONE_WRITE_BYTES) return undefined;
  const isPlain = fault.delayMs === undefined && fault.stallAfter === undefined && fault.resetAfter === undefined;
  return isPlain && (fault.splitAt ?? []).length === 0 ? toBuffer(chunk).subarray(0, limit) : undefined;
}

function toBuffer(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
}

function split(bytes: Uint8Array, start: number, offsets: readonly number[]): readonly Uint8Array[] {
  const cuts = offsets.map((offset) => offset - start).filter((at) => at > 0 && at < bytes.length);
  const edges = [0, ...cuts, bytes.length];
  return edges.slice(1).map((edge, at) => bytes.subarray(edges[at], edge));
}

/** Resolves when the bytes have left this process or the connection is closed, so that two writes never share a packet. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(bytes, done);
  });
}
