import { KernelError } from '@kernel/protocol';
import type { ApiRequest, AuthenticatedClient } from '../http/authenticated-client.ts';
import { limitError } from '../http/limits.ts';
import type { HttpRequest } from '../http/request.ts';
import { createTimer, MAX_QUIET_IN_BACKGROUND, quietError, timeoutError } from '../http/timeouts.ts';
import type { EventSink } from './event-queue.ts';
import type { BackgroundLimits, PreparedRequest, ReplyDecoder } from './reply-decoder.ts';

/** Doubled after each request that brought nothing new. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
const LONGEST_REQUESTED_MS = 60_000;
/** The number of failures in a row that end the reply. */
const MAX_FAILURES = 5;
/** The timeout of the request that cancels a reply. */
const CANCEL_MS = 5_000;
/** The statuses of servers that cannot continue a stream; the reply can still be requested in one piece. */
const NO_STREAM: ReadonlySet<unknown> = new Set([400, 405, 406, 422]);
/** The statuses of a reply that is gone or may not be read: it cannot be cancelled either. */
const INACCESSIBLE: ReadonlySet<unknown> = new Set([401, 403, 404, 410]);

// When a connection ends or breaks before the reply has ended, another one requests the rest. Each has its own timeouts, except for the total and for
// the time without content. An unfinished reply that is closed is cancelled at the vendor, without waiting for the outcome.
export function openBackgroundReply(
  client: AuthenticatedClient,
  { createDecoder, freeBody, request }: PreparedRequest,
  { idleMs, provider, responseBytes, totalMs }: BackgroundLimits,
  sink: EventSink,
): HttpRequest {
  let current: HttpRequest | undefined;
  let decoder: ReplyDecoder | undefined;
  let ended = false;
  let isPaused = false;
  let streamed = 0;
  let waits = 0;
  let failures = 0;
  let newsAt = performance.now();
  let waiting: NodeJS.Timeout | undefined;
  const total = createTimer(totalMs, () => fail(timeoutError(provider, 'totalMs', totalMs)));

  function open(next: ApiRequest, streams: boolean): void {
    current = client.open(next, {
      onHeaders(_, headers) {
        decoder ??= createDecoder(sink.emit, headers);
      },
      onData(bytes) {
        if (streams) streamed += bytes.length;
        if (streamed > responseBytes) throw tooLarge(provider, responseBytes);
        const hasProgress = decoder?.push(bytes) === true;
        const hasContent = sink.decoded(bytes.length);
        if (hasContent) newsAt = performance.now();
        if (hasProgress) current?.extendIdleTimeout(hasContent);
      },
      onEnd(isSent) {
        if (isSent && next === request) freeBody?.();
        decoder?.end();
        continueAfter(undefined);
      },
      onError(error) {
        if (canContinue(error, streams && next !== request)) continueAfter(error);
        else fail(error);
      },
    });
    if (isPaused) current.pause();
  }

  function continueAfter(error: unknown): void {
    if (ended) return;
    const next = decoder?.background?.next();
    failures = error === undefined || next?.hasProgress === true ? 0 : failures + 1;
    if (next === undefined || failures > MAX_FAILURES) {
      if (error === undefined) end();
      else fail(error);
      return;
    }
    const now = performance.now();
    if (idleMs > 0 && now - newsAt > MAX_QUIET_IN_BACKGROUND * idleMs) {
      fail(quietError(provider, idleMs, MAX_QUIET_IN_BACKGROUND));
      return;
    }
    if (next.hasProgress) waits = 0;
    const waitMs = Math.max(requestedWait(error), Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS));
    waits += 1;
    waiting = setTimeout(() => open(next.request, next.streams), waitMs);
  }

  function stop(): void {
    ended = true;
    total.stop();
    clearTimeout(waiting);
  }

  function end(): void {
    stop();
    sink.end();
  }

  function close(): void {
    if (ended) return;
    stop();
    current?.close();
    const cancellation = decoder?.background?.cancellation();
    if (cancellation !== undefined) sendOnce(client, cancellation);
  }

  function fail(error: unknown): void {
    if (ended) return;
    if (INACCESSIBLE.has(statusOf(error))) stop();
    else close();
    sink.fail(error);
  }

  total.start();
  open(request, true);
  return {
    close,
    extendIdleTimeout: (hasContent) => current?.extendIdleTimeout(hasContent),
    pause() {
      isPaused = true;
      current?.pause();
    },
    resume() {
      isPaused = false;
      newsAt = performance.now();
      current?.resume();
    },
  };
}

function canContinue(error: unknown, isContinuation: boolean): boolean {
  if (!KernelError.is(error) || error.data?.['timeout'] === 'totalMs') return false;
  return error.retryable || (isContinuation && NO_STREAM.has(statusOf(error)));
}

function statusOf(error: unknown): unknown {
  return KernelError.is(error) ? error.data?.['status'] : undefined;
}

function requestedWait(error: unknown): number {
  const ms = KernelError.is(error) ? error.data?.['retryAfterMs'] : undefined;
  return typeof ms === 'number' && ms <= LONGEST_REQUESTED_MS ? ms : 0;
}

function sendOnce(client: AuthenticatedClient, request: ApiRequest): void {
  let sent: HttpRequest | undefined;
  const timer = setTimeout(() => sent?.close(), CANCEL_MS);
  const stop = (): void => clearTimeout(timer);
  sent = client.open(request, { onHeaders: () => undefined, onData: () => undefined, onEnd: stop, onError: stop });
}

function tooLarge(provider: string, limit: number): KernelError {
  const hint = 'Raise limits.responseBytes of createProvider if the reply may be that large.';
  return limitError(
    'responseBytes',
    `${provider}: the streams of the reply have more than ${limit} bytes in total`,
    limit,
    hint,
  );
}
