import { MAX_TIMER_MS } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** The four timeouts of a request, in milliseconds. 0 or `Infinity` turns a timeout off. */
export interface Timeouts {
  /** Until the connection is established; before that, until a token function has returned its token. Default 30 s. */
  readonly connectMs?: number | undefined;
  /** From the request being sent to the first byte of the response body. Default 5 min. */
  readonly firstByteMs?: number | undefined;
  /**
   * Between two events of a stream (comments do not count), or between two chunks of any other body. Suspended while the consumer
   * does not read. Events without content, which keep a reply open while the model thinks, and chunks of a body in one piece extend it up to 20 times in
   * total; a reply in the background may bring nothing new for 200 times as long. Also the wait for a free connection while other requests hold them all. Default 2 min.
   */
  readonly idleMs?: number | undefined;
  /** The whole request, including the wait for a token and for a free connection. Off by default, so that no stream with content is cut. */
  readonly totalMs?: number | undefined;
}

export type ResolvedTimeouts = { readonly [K in keyof Timeouts]-?: number };

const DEFAULTS: ResolvedTimeouts = { connectMs: 30_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 0 };

/** How many idle timeouts a server may keep a reply open without content: with the default 40 minutes, longer than a model thinks. */
export const MAX_QUIET = 20;
/** The same for a reply in the background, which may wait in a queue: with the default almost 7 hours. */
export const MAX_QUIET_IN_BACKGROUND = 200;

const WAITING_FOR: Readonly<Record<keyof Timeouts, string>> = {
  connectMs: 'for a connection',
  firstByteMs: 'for the first byte of the reply',
  idleMs: 'for the next event of the reply',
  totalMs: 'for the whole reply',
};

export function resolveTimeouts(timeouts: Timeouts = {}): ResolvedTimeouts {
  const resolved = { ...DEFAULTS };
  for (const name of ['connectMs', 'firstByteMs', 'idleMs', 'totalMs'] as const) {
    const value = timeouts[name];
    if (value === undefined) continue;
    if (value === Infinity) {
      resolved[name] = 0;
      continue;
    }
    if (typeof value !== 'number' || !(value >= 0 && value <= MAX_TIMER_MS)) {
      const problem = value > MAX_TIMER_MS ? 'longer than a timer can wait' : 'not a number of milliseconds';
      throw new KernelError('CONFIG_INVALID', `timeouts.${name} is ${String(value)}, ${problem}.`, {
        hint: `Use 0 or Infinity (off), or at most ${MAX_TIMER_MS} ms, which is almost 25 days.`,
      });
    }
    resolved[name] = value;
  }
  return resolved;
}

export function timeoutError(
  provider: string,
  timeout: keyof Timeouts,
  ms: number,
  waitingFor: string = WAITING_FOR[timeout],
  times = 1,
): KernelError {
  const option = `${times === 1 ? '' : `${times} times `}timeouts.${timeout}`;
  return new KernelError('PROVIDER_TIMEOUT', `${provider}: waited ${ms * times} ms ${waitingFor} (${option}).`, {
    hint: `Raise timeouts.${timeout} of createProvider, or set it to 0 to turn this timeout off.`,
    retryable: true,
    data: { timeout, timeoutMs: ms, option: `timeouts.${timeout}` },
  });
}

export function quietError(provider: string, idleMs: number, times: number): KernelError {
  return timeoutError(provider, 'idleMs', idleMs, 'for content, while the server only kept the reply open', times);
}

/** With `ms` 0 it never fires. */
export function createTimer(ms: number, onExpiry: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      if (ms === 0) return;
      clearTimeout(timer);
      timer = setTimeout(onExpiry, ms);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
