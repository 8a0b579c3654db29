import type { Redactor } from '@kernel/internal';
import { KernelError, type ProviderEvent } from '@kernel/protocol';
import type { AuthenticatedClient } from '../http/authenticated-client.ts';
import { openBackgroundReply } from './background-reply.ts';
import { createEventQueue } from './event-queue.ts';
import type { PreparedRequest, ReplyDecoder } from './reply-decoder.ts';

/** How long to wait for the end of the body after the finish reason: usage may still follow, and some servers never close. Does not apply if there is no idle timeout. */
const END_MS = 15_000;

/** `prepare` is called at the first `next()`. Errors carry the text received so far as `data.partialText`. */
export function createWireStream(
  client: AuthenticatedClient,
  redactor: Redactor,
  signal: AbortSignal | undefined,
  prepare: () => PreparedRequest,
): AsyncIterable<ProviderEvent> {
  return createEventQueue((sink) => {
    const prepared = prepare();
    const { createDecoder, freeBody, request } = prepared;
    let decoder: ReplyDecoder | undefined;
    const fail = (error: unknown): void =>
      sink.fail(withPartialText(error, redactor.text(decoder?.partialText() ?? '')));
    if (prepared.background !== undefined) {
      const kept = {
        ...prepared,
        createDecoder: (...given: Parameters<typeof createDecoder>) => (decoder = createDecoder(...given)),
      };
      return openBackgroundReply(client, kept, prepared.background, { ...sink, fail });
    }
    const end = (): void => {
      sent.close();
      try {
        decoder?.end();
        sink.end();
      } catch (error) {
        fail(error);
      }
    };
    let endTimer: NodeJS.Timeout | undefined;
    const waitForEnd = (): void => {
      if (client.idleMs === 0 || decoder?.hasFinished?.() !== true) return;
      clearTimeout(endTimer);
      endTimer = setTimeout(end, END_MS);
    };
    const sent = client.open(request, {
      onHeaders(_, headers) {
        decoder = createDecoder(sink.emit, headers);
      },
      onData(bytes) {
        const hasProgress = decoder?.push(bytes) === true;
        const hasContent = sink.decoded(bytes.length);
        if (!hasProgress) return;
        sent.extendIdleTimeout(hasContent);
        waitForEnd();
      },
      onEnd(isSent) {
        clearTimeout(endTimer);
        if (isSent) freeBody?.();
        decoder?.end();
        sink.end();
      },
      onError(error) {
        clearTimeout(endTimer);
        if (KernelError.is(error, 'PROVIDER_TIMEOUT') && decoder?.hasFinished?.() === true) end();
        else fail(error);
      },
    });
    return {
      ...sent,
      resume() {
        sent.resume();
        waitForEnd();
      },
      pause() {
        clearTimeout(endTimer);
        sent.pause();
      },
      close() {
        clearTimeout(endTimer);
        sent.close();
      },
    };
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
