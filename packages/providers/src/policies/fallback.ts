import { isObject, sliceHead } from '@kernel/internal';
import { describeType, type JsonObject, KernelError, type Provider, type StructuredOutput } from '@kernel/protocol';
import { openStream } from './open-stream.ts';
import { numberOption } from './number-option.ts';
import { strictest } from '../vendor-rules/vendor-limits.ts';

/** A provider to try, with the request's model or one of its own. */
export type FallbackCandidate =
  | Provider
  | {
      /** Where the request is sent. */
      readonly provider: Provider;
      /** The model that it asks for there. */
      readonly model: string;
    };

/** How candidates are chosen. */
export interface FallbackOptions {
  /** How long a candidate that failed is tried only after all others. Default 60 s; longer if its server asked for more. */
  readonly coolDownMs?: number | undefined;
  /** Called for each candidate that failed before the next is tried. Must not throw. */
  readonly onFallback?: ((attempt: FallbackAttempt) => void) | undefined;
  /** Returns the time in milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** A failed attempt. */
export interface FallbackAttempt {
  /** The candidate's name. */
  readonly provider: string;
  /** The model that was requested of it. */
  readonly model: string;
  /** Absent if no other candidate would do better. */
  readonly reason?: FallbackReason;
  /** What it failed with. */
  readonly error: KernelError;
}

const HINT =
  "Pass providers, or each with a model of its own: withFallback([createProvider({ name: 'openai', token }), { provider, model }]).";

interface CandidateState<P extends Provider = Provider> {
  readonly provider: P;
  readonly model: string | undefined;
  readyAt: number;
}

/**
 * Tries the first candidate, and the next one if it fails for reasons of its own: rate limit, overload, network, credentials. A bad request
 * is not tried again. A stream falls back only before its first event. When all have failed, the last error has every attempt in
 * `data.attempts`. Throws `CONFIG_INVALID` without candidates.
 *
 * @example
 * ```ts
 * import { createProvider, withFallback } from '@kernel/providers';
 *
 * const local = createProvider({ name: 'ollama' });
 * const hosted = createProvider({ name: 'openai', token: process.env['OPENAI_API_KEY'] ?? '' });
 * const provider = withFallback([hosted, { provider: local, model: 'qwen3' }]);
 * ```
 */
export function withFallback(candidates: readonly FallbackCandidate[], options: FallbackOptions = {}): Provider {
  if (!Array.isArray(candidates)) {
    throw new KernelError('CONFIG_INVALID', `withFallback takes an array, not ${describeType(candidates)}.`, {
      hint: HINT,
    });
  }
  const states = candidates.map(toState);
  if (states.length === 0) {
    throw new KernelError('CONFIG_INVALID', 'withFallback has no candidates.', { hint: HINT });
  }
  // Finite, so that two candidates that cool down can be compared.
  const longest = Number.MAX_SAFE_INTEGER / 2;
  const coolDownMs = Math.min(numberOption('withFallback', 'coolDownMs', options.coolDownMs, 60_000, 0), longest);
  const { now = Date.now, onFallback } = options;

  async function attempt<P extends Provider, T>(
    request: { readonly model: string; readonly signal?: AbortSignal | undefined },
    capable: readonly CandidateState<P>[],
    work: (provider: P, model: string) => Promise<T>,
  ): Promise<T> {
    const attempts: FallbackAttempt[] = [];
    for (const state of byReadiness(capable, now())) {
      const model = state.model ?? request.model;
      try {
        return await work(state.provider, model);
      } catch (error) {
        if (request.signal?.aborted === true || !KernelError.is(error)) throw error;
        const reason = fallbackReason(error);
        const failed = {
          provider: state.provider.name,
          model,
          ...(reason === undefined ? {} : { reason }),
          error,
        };
        attempts.push(failed);
        if (reason === undefined) throw failure(attempts);
        state.readyAt = now() + Math.max(coolDownMs, requestedMs(error));
        onFallback?.(failed);
      }
    }
    throw failure(attempts);
  }

  const counters = states.filter((state) => has(state, 'countTokens'));
  const embedders = states.filter((state) => has(state, 'embed'));
  const transcribers = states.filter((state) => has(state, 'transcribe'));
  return {
    name:
      states.length === 1 ? (states[0]?.provider.name ?? '') : states.map(({ provider }) => provider.name).join('|'),
    structuredOutput: (model) => weakest(states, model),
    mediaLimits: (model) =>
      strictest(states.map(({ provider, model: own }) => provider.mediaLimits?.(own ?? model) ?? {})),
    stream: (request) =>
      openStream(request.signal, (opening) =>
        attempt({ model: request.model, signal: opening.signal }, states, (provider, model) =>
          opening.first(provider.stream({ ...request, model })),
        ),
      ),
    ...(counters.length > 0 && {
      countTokens: async (request) =>
        attempt(request, counters, (inner, model) => inner.countTokens({ ...request, model })),
    }),
    ...(embedders.length > 0 && {
      embed: async (request) => attempt(request, embedders, (inner, model) => inner.embed({ ...request, model })),
    }),
    ...(transcribers.length > 0 && {
      transcribe: async (request) =>
        attempt(request, transcribers, (inner, model) => inner.transcribe({ ...request, model })),
    }),
  };
}

/** Ordered from what binds a model most to what any model can do. */
const BY_STRENGTH: readonly StructuredOutput[] = ['schema', 'schema-without-tools', 'tool-call', 'text'];

/** Any candidate may answer, so the weakest one counts. */
async function weakest(states: readonly CandidateState[], model: string): Promise<StructuredOutput> {
  const all = await Promise.all(
    states.map(async ({ provider, model: own }) => (await provider.structuredOutput?.(own ?? model)) ?? 'tool-call'),
  );
  const at = Math.max(...all.map((each) => BY_STRENGTH.indexOf(each)));
  return BY_STRENGTH[at] ?? 'tool-call';
}

function toState(candidate: FallbackCandidate, at: number): CandidateState {
  const provider: unknown = isObject(candidate) && 'provider' in candidate ? candidate.provider : candidate;
  if (!isObject(provider) || typeof provider['stream'] !== 'function') {
    const what = typeof provider === 'string' ? `the text "${sliceHead(provider, 60)}"` : describeType(provider);
    throw new KernelError('CONFIG_INVALID', `withFallback: candidate ${at + 1} is not a provider but ${what}.`, {
      hint: HINT,
    });
  }
  return 'provider' in candidate
    ? { provider: candidate.provider, model: candidate.model, readyAt: 0 }
    : { provider: candidate, model: undefined, readyAt: 0 };
}

/** Returns the ready candidates in the configured order, then those that cool down. */
function byReadiness<P extends Provider>(
  states: readonly CandidateState<P>[],
  now: number,
): readonly CandidateState<P>[] {
  return states.toSorted((a, b) => Math.max(a.readyAt - now, 0) - Math.max(b.readyAt - now, 0));
}

type Capable<K extends 'countTokens' | 'embed' | 'transcribe'> = Provider & Required<Pick<Provider, K>>;

function has<K extends 'countTokens' | 'embed' | 'transcribe'>(
  state: CandidateState,
  key: K,
): state is CandidateState<Capable<K>> {
  return state.provider[key] !== undefined;
}

function requestedMs(error: KernelError): number {
  const requested = error.data?.['retryAfterMs'];
  return typeof requested === 'number' ? requested : 0;
}

function failure(attempts: readonly FallbackAttempt[]): KernelError {
  const last = attempts.at(-1);
  if (last === undefined) throw new TypeError('No candidate was tried.');
  const { error } = last;
  if (attempts.length === 1) return error;
  const list = attempts.map(({ model, provider, reason }) => `${provider} ${model} (${reason ?? 'bad request'})`);
  return new KernelError(error.code, `${error.message} Tried in turn: ${list.join(', ')}.`, {
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

/** Why the next candidate is tried. */
export type FallbackReason = 'rate-limit' | 'overload' | 'network' | 'auth';

export function fallbackReason(error: unknown): FallbackReason | undefined {
  if (!KernelError.is(error)) return undefined;
  if (error.code === 'PROVIDER_NETWORK' || error.code === 'PROVIDER_TIMEOUT') return 'network';
  const status = error.data?.['status'];
  if (error.code === 'PROVIDER_HTTP' && typeof status === 'number') {
    if (status === 429) return 'rate-limit';
    // 402: this account has no credit; another may.
    if (status === 401 || status === 402 || status === 403) return 'auth';
    if (status === 408 || status >= 500) return 'overload';
    return undefined;
  }
  const isProviderError = error.code === 'PROVIDER_HTTP' || error.code === 'PROVIDER_PROTOCOL';
  return isProviderError && error.retryable ? 'overload' : undefined;
}
