import { KernelError, type ProviderEvent } from '@kernel/protocol';
import type { Caller, WireCall } from '../http/authenticated-client.ts';
import type { HttpHeaders } from '../http/request.ts';
import type { Redactor } from '../http/redact.ts';
import { createReplyStream } from './event-queue.ts';

/** Turns the bytes of one reply into events. Each wire has its own. */
export interface ReplyDecoder {
  /** Returns whether the reply moved on. Throws a `KernelError` for a failure inside the reply. */
  push(bytes: Uint8Array): boolean;
  /** The body is over: emits `message-end` if it was not yet, or throws. */
  end(): void;
  /** The text so far, for the error of a reply that broke off. */
  partialText(): string;
}

/** One streamed call: what to send, and how to read the reply. Made at the first `next()`. */
export interface WireExchange {
  readonly call: WireCall;
  /** Called when the reply is whole and nothing of the call's body is needed any more; on no other path. */
  readonly freeBody?: (() => void) | undefined;
  readonly decoder: (emit: (event: ProviderEvent) => void, headers: HttpHeaders) => ReplyDecoder;
}

/** Joins caller, decoder and iterator: the same for every wire. Errors get the text so far as `data.partialText`. */
export function createWireStream(
  caller: Caller,
  redactor: Redactor,
  signal: AbortSignal | undefined,
  prepare: () => WireExchange,
): AsyncIterable<ProviderEvent> {
  return createReplyStream((sink) => {
    const { call, decoder: createDecoder, freeBody } = prepare();
    let decoder: ReplyDecoder | undefined;
    const exchange = caller.open(call, {
      onHead(_, headers) {
        decoder = createDecoder(sink.emit, headers);
      },
      onBytes(bytes) {
        if (decoder?.push(bytes) === true) exchange.progress();
        sink.fed(bytes.length);
      },
      onEnd(sent) {
        if (sent) freeBody?.();
        decoder?.end();
        sink.end();
      },
      onFault(error) {
        sink.fail(withPartialText(error, redactor.redact(decoder?.partialText() ?? '')));
      },
    });
    return exchange;
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
