import type { ProviderEvent } from '@kernel/protocol';
import type { ApiRequest } from '../http/authenticated-client.ts';
import type { ResponseHeaders } from '../http/headers.ts';

/** Turns the bytes of one reply into events. Each wire has its own. */
export interface ReplyDecoder {
  /** Returns whether the reply made progress, if only by a sign that the server is still at work. Throws a `KernelError` for a failure inside the reply. */
  push(bytes: Uint8Array): boolean;
  /** The body is complete: emits `message-end` if it was not emitted yet, or throws. */
  end(): void;
  /** Whether the reply has said how it ended, so that only the end of its body is missing. Absent: nothing says so before its end. */
  hasFinished?(): boolean;
  /** The text so far, for the error of a reply that broke off. */
  partialText(): string;
  /** Absent: the reply ends with its body. */
  readonly background?: BackgroundReply | undefined;
}

/** A reply that the vendor generates in the background and stores, so that another connection can continue it. */
export interface BackgroundReply {
  /**
   * Prepares the decoder for another body and returns the request for it. Undefined if the reply has ended or failed, or its id is not known
   * yet.
   */
  next(): Continuation | undefined;
  /** Returns the request that cancels the reply; undefined where `next` returns undefined. */
  cancellation(): ApiRequest | undefined;
}

/** The paths of a reply in the background, by the vendor's id of it. */
export interface BackgroundPaths {
  /** Returns the reply in its current state. */
  get(id: string): string;
  /** Streams the events after the one with the sequence number `after`. */
  resume(id: string, after: number): string;
  /** Cancels the reply. */
  cancel(id: string): string;
}

/** The next request for a reply in the background. */
export interface Continuation {
  /** The request. */
  readonly request: ApiRequest;
  /** Whether it asks for a stream. */
  readonly streams: boolean;
  /** Whether the body before it brought new events. */
  readonly hasProgress: boolean;
}

/** One streamed call: what to send, and how to read the reply. */
export interface PreparedRequest {
  /** What to send. */
  readonly request: ApiRequest;
  /** Called when the reply is complete and the request's body is no longer needed, and only then. */
  readonly freeBody?: (() => void) | undefined;
  /** Creates the decoder once the headers have arrived. */
  readonly createDecoder: (emit: (event: ProviderEvent) => void, headers: ResponseHeaders) => ReplyDecoder;
  /** The limits of a reply in the background; absent for any other. */
  readonly background?: BackgroundLimits | undefined;
}

/** The limits of a reply in the background over all of its connections. */
export interface BackgroundLimits {
  /** The provider's name, for errors. */
  readonly provider: string;
  /** `timeouts.idleMs`: 0 means none. */
  readonly idleMs: number;
  /** `timeouts.totalMs`: 0 means none. */
  readonly totalMs: number;
  /** `limits.responseBytes`, for the bytes of all streams together. */
  readonly responseBytes: number;
}
