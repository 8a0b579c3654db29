import { KernelError } from '@kernel/protocol';

/** The four clocks of a request, in milliseconds. 0 turns a clock off. */
export interface Timeouts {
  /** Until a connection stands; before it, until a token function has given its token. Default 30 s. */
  readonly connectMs?: number | undefined;
  /** From the sent request to the first byte of the reply's body. Default 5 min. */
  readonly firstByteMs?: number | undefined;
  /** Between two events of a stream (comments do not count), or two pieces of another body. Stands still while the reader does not read. Default 2 min. */
  readonly idleMs?: number | undefined;
  /** The whole request, waiting for a token and a free connection included. Off by default, so that no stream is cut while it delivers. */
  readonly totalMs?: number | undefined;
}

/** Timeouts with every clock set. */
export type ClockSettings = { readonly [K in keyof Timeouts]-?: number };

const DEFAULTS: ClockSettings = { connectMs: 30_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 0 };
const LONGEST_TIMER_MS = 2_147_483_647;

const WAITS: Readonly<Record<keyof Timeouts, string>> = {
  connectMs: 'for a connection',
  firstByteMs: 'for the first byte of the reply',
  idleMs: 'for the next event of the reply',
  totalMs: 'for the whole reply',
};

/** Fills in the defaults; throws `CONFIG_INVALID` naming a clock that is no number of milliseconds. */
export function resolveTimeouts(timeouts: Timeouts = {}): ClockSettings {
  const set = { ...DEFAULTS };
  for (const clock of ['connectMs', 'firstByteMs', 'idleMs', 'totalMs'] as const) {
    const value = timeouts[clock];
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value >= 0 && value <= LONGEST_TIMER_MS)) {
      throw new KernelError('CONFIG_INVALID', `timeouts.${clock} is ${String(value)}, not a number of milliseconds.`, {
        hint: `Give 0 (off) or a number up to ${LONGEST_TIMER_MS}.`,
      });
    }
    set[clock] = value;
  }
  return set;
}

/** The error of a clock that ran out: names the clock, its value and the option that sets it. `wait` says what for, where it is not the usual thing. */
export function timeoutError(
  provider: string,
  clock: keyof Timeouts,
  ms: number,
  wait: string = WAITS[clock],
): KernelError {
  return new KernelError('PROVIDER_TIMEOUT', `${provider}: waited ${ms} ms ${wait} (timeouts.${clock}).`, {
    hint: `Raise timeouts.${clock} of createProvider, or set it to 0 to turn this clock off.`,
    retryable: true,
    data: { clock, timeoutMs: ms, option: `timeouts.${clock}` },
  });
}

/** One timer. */
export interface Clock {
  start(): void;
  stop(): void;
}

/** Creates a stopped clock; with 0 it never runs. `onExpiry` is called once per start at most. */
export function createClock(ms: number, onExpiry: () => void): Clock {
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
