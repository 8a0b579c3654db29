import type { NeutralReply } from '../fakes/scripted-reply.ts';

/** A reply that the server writes in the terms of its wire. */
export interface WireReply extends NeutralReply {
  /** How its delivery fails. */
  readonly fault?: WireFault | undefined;
}

/** A reply given byte by byte: nothing is added or checked. */
export interface RawReply {
  /** The HTTP status. Default 200. */
  readonly status?: number | undefined;
  /** The response headers. Default: the content type of server-sent events. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body, each chunk in its own write: text, bytes, or a pause. */
  readonly chunks: readonly (
    | string
    | Uint8Array
    | {
        /** The length of the pause, in milliseconds. */
        readonly waitMs: number;
      }
  )[];
  /** How its delivery fails. */
  readonly fault?: WireFault | undefined;
}

/** How the delivery of a reply fails. Bytes are counted in the body. */
export interface WireFault {
  /** Ends the response properly after this many bytes. */
  readonly cutAfter?: number | undefined;
  /** Resets the connection after this many bytes; 0 means right after the headers. */
  readonly resetAfter?: number | undefined;
  /** Sends nothing more after this many bytes, and keeps the connection open. */
  readonly stallAfter?: number | undefined;
  /** Does not even send headers: `reset` resets the connection at once, `stall` stays silent. */
  readonly beforeHead?: 'reset' | 'stall' | undefined;
  /** Splits the body at these offsets, each piece in its own write. */
  readonly splitAt?: readonly number[] | undefined;
  /** How long to wait before each write, in milliseconds. */
  readonly delayMs?: number | undefined;
}

export function isRawReply(reply: WireReply | RawReply): reply is RawReply {
  return 'chunks' in reply;
}
