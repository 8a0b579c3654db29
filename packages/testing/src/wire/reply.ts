import type { NeutralReply } from '../scripted-reply.ts';

/** A reply that the server spells in its wire's terms, and how its delivery goes wrong. */
export interface WireReply extends NeutralReply {
  readonly fault?: WireFault | undefined;
}

/** A reply given byte by byte: nothing is added, nothing checked. */
export interface RawReply {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent one after another, each in a write of its own: text, bytes, or a wait. */
  readonly chunks: readonly (string | Uint8Array | { readonly waitMs: number })[];
  readonly fault?: WireFault | undefined;
}

/** How the delivery of a reply goes wrong. Bytes are counted in the body. */
export interface WireFault {
  /** Ends the response properly after so many bytes. */
  readonly cutAfter?: number | undefined;
  /** Resets the connection after so many bytes; 0: right after the headers. */
  readonly resetAfter?: number | undefined;
  /** Sends nothing more after so many bytes, and keeps the connection. */
  readonly stallAfter?: number | undefined;
  /** Sends not even headers: `reset` closes the connection at once, `stall` says nothing. */
  readonly beforeHead?: 'reset' | 'stall' | undefined;
  /** Splits the body at these offsets, each piece in a write of its own. */
  readonly splitAt?: readonly number[] | undefined;
  /** Waits before each write. */
  readonly delayMs?: number | undefined;
}

/** Says whether a reply is given byte by byte. */
export function isRawReply(reply: WireReply | RawReply): reply is RawReply {
  return 'chunks' in reply;
}
