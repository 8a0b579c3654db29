import type { Redactor } from '@kernel/internal';
import { KernelError, type ProviderEvent } from '@kernel/protocol';
import type { ApiRequest, AuthenticatedClient } from '../http/authenticated-client.ts';
import type { ResponseHeaders } from '../http/headers.ts';
import { createEventQueue } from './event-queue.ts';

/** Turns the bytes of one reply into events. Each wire has its own. */
export interface ReplyDecoder {
  /** Returns whether the reply made progress. Throws a `KernelError` for a failure inside the reply. */
  push(bytes: Uint8Array): boolean;
  /** The body is complete: emits `message-end` if it was not emitted yet, or throws. */
  end(): void;
  /** The text so far, for the error of a reply that broke off. */
  partialText(): string;
}

/** One streamed call: what to send, and how to read the reply. */
export interface PreparedRequest {
  /** What to send. */
  readonly request: ApiRequest;
  /** Called when the reply is complete and the request's body is no longer needed, and only then. */
  readonly freeBody?: (() => void) | undefined;
  /** Creates the decoder once the headers have arrived. */
  readonly createDecoder: (emit: (event: ProviderEvent) => void, headers: ResponseHeaders) => ReplyDecoder;
}

/**
 * Creates the event stream of one call, for any wire. `prepare` is called at the first `next()`. Errors carry the text received so far as
 * `data.partialText`.
 */
export function createWireStream(
  client: AuthenticatedClient,
  redactor: Redactor,
  signal: AbortSignal | undefined,
  prepare: () => PreparedRequest,
): AsyncIterable<ProviderEvent> {
  return createEventQueue((sink) => {
    const { createDecoder, freeBody, request } = prepare();
    let decoder: ReplyDecoder | undefined;
    const sent = client.open(request, {
      onHeaders(_, headers) {
        decoder = createDecoder(sink.emit, headers);
      },
      onData(bytes) {
        if (decoder?.push(bytes) === true) sent.extendIdleTimeout();
        sink.decoded(bytes.length);
      },
      onEnd(isSent) {
        if (isSent) freeBody?.();
        decoder?.end();
        sink.end();
      },
      onError(error) {
        sink.fail(withPartialText(error, redactor.text(decoder?.partialText() ?? '')));
      },
    });
    return sent;
  }, signal);
}

function withPartialText(error: unknown, partialText: string): unknown {
  if (!KernelError.is(error) || partialText === '') return error;
  return new KernelError(error.code, error.message, {
    hint: error.hint,
    retryable: error.retryable,
    data: { ...error.data, partialText },
    cause: error.cause ?? error,
  });
}
