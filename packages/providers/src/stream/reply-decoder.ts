import type { ProviderEvent } from '@kernel/protocol';
import type { ApiRequest } from '../http/authenticated-client.ts';
import type { ResponseHeaders } from '../http/transport.ts';

export interface ReplyDecoder {
  /** Whether the reply made progress, if only by a sign that the server is still at work. Throws for a failure inside the reply. */
  push(bytes: Uint8Array): boolean;
  /** Emits `message-end` if it was not emitted yet, or throws. */
  end(): void;
  /** Whether only the end of the body is missing. Absent if nothing announces the end. */
  hasFinished?(): boolean;
  /** The text for the error of a reply that broke off. */
  partialText(): string;
  /** Absent if the reply ends with its body. */
  readonly background?: BackgroundReply | undefined;
}

/** Generated in the background and stored by the vendor, so that another connection can continue it. */
export interface BackgroundReply {
  /** Prepares the decoder for another body. Undefined if the reply has ended or failed, or its id is not known yet. */
  next(): Continuation | undefined;
  /** Returns undefined if `next` does. */
  cancellation(): ApiRequest | undefined;
}

/** The paths of requests about a reply, given the vendor's id of it. */
export interface BackgroundPaths {
  get(id: string): string;
  /** The events after the one with the sequence number `after`. */
  resume(id: string, after: number): string;
  cancel(id: string): string;
}

export interface Continuation {
  readonly request: ApiRequest;
  readonly streams: boolean;
  /** Whether the body before it brought new events. */
  readonly hasProgress: boolean;
}

export interface PreparedRequest {
  readonly request: ApiRequest;
  /** Called when the reply is complete and the request's body is no longer needed, and only then. */
  readonly freeBody?: (() => void) | undefined;
  /** Called once the headers have arrived. */
  readonly createDecoder: (emit: (event: ProviderEvent) => void, headers: ResponseHeaders) => ReplyDecoder;
  readonly background?: BackgroundLimits | undefined;
}

/** These limits apply to all connections of one reply together. */
export interface BackgroundLimits {
  readonly provider: string;
  /** 0 means none. */
  readonly idleMs: number;
  /** 0 means none. */
  readonly totalMs: number;
  /** The limit of all streams together. */
  readonly responseBytes: number;
}
