import { type JsonObject, KernelError, type Provider } from '@kernel/protocol';
import { fallbackReason, type FallbackReason } from './fallback-reason.ts';
import { openStream } from './open-stream.ts';
import { numberOption } from './number-option.ts';

/** A provider to ask, as it is or with a model of its own in place of the request's. */
export type FallbackCandidate = Provider | { readonly provider: Provider; readonly model: string };

/** How candidates are chosen. */
export interface FallbackOptions {
  /** How long a candidate that failed is asked only after all others. Default 60 s; longer where its server asked for more. */
  readonly coolDownMs?: number | undefined;
  /** Hears of each candidate that was given up. Must not throw. */
  readonly onFallback?: ((attempt: FallbackAttempt) => void) | undefined;
  /** The time in milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** A candidate that failed. */
export interface FallbackAttempt {
  readonly provider: string;
  readonly model: string;
  /** Absent where no other candidate would do better. */
  readonly reason?: FallbackReason;
  readonly error: KernelError;
}

interface Place<P extends Provider = Provider> {
  readonly provider: P;
  readonly model: string | undefined;
  readyAt: number;
}

/**
 * Asks the first candidate, and the next one where it fails for its own reasons: rate limit, overload, network, credentials.
 * A bad request goes to no other. A stream moves on only before its first event. When all have failed, the last error comes
 * with every attempt in `data.attempts`. Throws `CONFIG_INVALID` without a candidate.
 */
export function withFallback(candidates: readonly FallbackCandidate[], options: FallbackOptions = {}): Provider {
  const places = candidates.map(toPlace);
  if (places.length === 0) {
    throw new KernelError('CONFIG_INVALID', 'withFallback got no candidate.', { hint: 'Give at least one provider.' });
  }
  const coolDownMs = numberOption('withFallback', 'coolDownMs', options.coolDownMs, 60_000, 0);
  const { now = Date.now, onFallback } = options;

  async function ask<P extends Provider, T>(
    request: { readonly model: string; readonly signal?: AbortSignal | undefined },
    able: readonly Place<P>[],
    work: (provider: P, model: string) => Promise<T>,
  ): Promise<T> {
    const attempts: FallbackAttempt[] = [];
    for (const place of inOrder(able, now())) {
      const model = place.model ?? request.model;
      try {
        return await work(place.provider, model);
      } catch (error) {
        if (request.signal?.aborted === true || !KernelError.is(error)) throw error;
        const reason = fallbackReason(error);
        const attempt = {
          provider: place.provider.name,
          model,
          ...(reason === undefined ? {} : { reason }),
          error,
        };
        attempts.push(attempt);
        if (reason === undefined) throw failure(attempts);
        place.readyAt = now() + Math.max(coolDownMs, askedMs(error));
        onFallback?.(attempt);
      }
    }
    throw failure(attempts);
  }

  const embedders = places.filter((place) => has(place, 'embed'));
  const transcribers = places.filter((place) => has(place, 'transcribe'));
  return {
    name:
      places.length === 1 ? (places[0]?.provider.name ?? '') : places.map(({ provider }) => provider.name).join('|'),
    stream: (request) =>
      openStream(request.signal, (opening) =>
        ask({ model: request.model, signal: opening.signal }, places, (provider, model) =>
          opening.first(provider.stream({ ...request, model })),
        ),
      ),
    ...(embedders.length === 0
      ? {}
      : { embed: async (request) => ask(request, embedders, (inner, model) => inner.embed({ ...request, model })) }),
    ...(transcribers.length === 0
      ? {}
      : {
          transcribe: async (request) =>
            ask(request, transcribers, (inner, model) => inner.transcribe({ ...request, model })),
        }),
  };
}

function toPlace(candidate: FallbackCandidate): Place {
  return 'provider' in candidate
    ? { provider: candidate.provider, model: candidate.model, readyAt: 0 }
    : { provider: candidate, model: undefined, readyAt: 0 };
}

/** Ready candidates as they were given, then those that cool down, the soonest first. */
function inOrder<P extends Provider>(places: readonly Place<P>[], now: number): readonly Place<P>[] {
  return places.toSorted((a, b) => Math.max(a.readyAt - now, 0) - Math.max(b.readyAt - now, 0));
}

type Able<K extends 'embed' | 'transcribe'> = Provider & Required<Pick<Provider, K>>;

function has<K extends 'embed' | 'transcribe'>(place: Place, key: K): place is Place<Able<K>> {
  return place.provider[key] !== undefined;
}

function askedMs(error: KernelError): number {
  const asked = error.data?.['retryAfterMs'];
  return typeof asked === 'number' ? asked : 0;
}

function failure(attempts: readonly FallbackAttempt[]): KernelError {
  const last = attempts.at(-1);
  if (last === undefined) throw new TypeError('No candidate was asked.');
  const { error } = last;
  if (attempts.length === 1) return error;
  const list = attempts.map(({ model, provider, reason }) => `${provider} ${model} (${reason ?? 'bad request'})`);
  return new KernelError(error.code, `${error.message} Asked in turn: ${list.join(', ')}.`, {
    hint: error.hint,
    retryable: last.reason !== undefined && attempts.some((attempt) => attempt.error.retryable),
    data: { ...error.data, attempts: attempts.map(toJson) },
    cause: error,
  });
}

function toJson(attempt: FallbackAttempt): JsonObject {
  const { error, model, provider, reason } = attempt;
  const status = error.data?.['status'];
  return {
    provider,
    model,
    ...(reason === undefined ? {} : { reason }),
    code: error.code,
    ...(status === undefined ? {} : { status }),
    message: error.message,
  };
}
