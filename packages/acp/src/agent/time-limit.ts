import { MAX_TIMER_MS } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** How long an agent may work. */
export interface TimeLimit {
  /** Aborts with the error that says so. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Starts the time that an agent has, in milliseconds. */
export function startTimeLimit(ms = Infinity): TimeLimit {
  const controller = new AbortController();
  const onEnd = (): void =>
    controller.abort(new KernelError('LIMIT_REACHED', `The agent had not ended after ${ms} ms (limits.timeMs).`));
  const timer = ms > MAX_TIMER_MS ? undefined : setTimeout(onEnd, ms);
  return { signal: controller.signal, stop: () => clearTimeout(timer) };
}
