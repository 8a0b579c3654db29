import { setMaxListeners } from 'node:events';
import { type AgentEvent, KernelError } from '@kernel/protocol';
import { linkAbort } from './loop/after-microtasks.ts';
import { type Channel, createChannel } from './loop/event-queue.ts';
import { drive } from './loop/loop.ts';
import { TIME_LIMIT } from './loop/run-end.ts';
import { checkRunOptions, type RunOptions } from './options.ts';

/** The reason of the abort at the end of a run: made once, since an error's stack costs more than the rest of it. */
const READER_LEFT = new KernelError('TOOL_CANCELLED', 'The run is over, or its reader has left.');

/**
 * Runs a conversation until the model answers: asks it, runs the calls it asks for, feeds the results back.
 *
 * Throws `CONFIG_INVALID` at once for options that no run can start with; nothing else is thrown (but `LIMIT_REACHED` with
 * `limits.onLimit: 'throw'`, after the `run-end`). Nothing happens before the first `next()`. The last event is one
 * `run-end`, on every path. Leaving the loop aborts all that is in flight. After an abort it settles within 50 ms, whatever
 * handlers do.
 */
export function run(options: RunOptions): AsyncGenerator<AgentEvent, void> {
  checkRunOptions(options);
  const channel = createChannel<AgentEvent>();
  let running: Running | undefined;
  let hasLeft = false;

  async function leave(): Promise<IteratorResult<AgentEvent, void>> {
    hasLeft = true;
    channel.drop();
    running?.stop.abort(READER_LEFT);
    await running?.driving;
    return { done: true, value: undefined };
  }

  // Written by hand: a generator function makes three promises for each event, this makes one.
  const events = {
    next() {
      if (!hasLeft) running ??= start(options, channel);
      return channel.next();
    },
    return: leave,
    async throw(error: unknown): Promise<never> {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await leave();
    },
  };
  return events;
}

/** A run under way. */
interface Running {
  readonly stop: AbortController;
  /** Settles when nothing of it goes on. Never rejects. */
  readonly driving: Promise<void>;
}

function start(options: RunOptions, channel: Channel<AgentEvent>): Running {
  const stop = new AbortController();
  // Every call of a parallel batch may listen on this one signal.
  setMaxListeners(0, stop.signal);
  const unlink = linkAbort(options.signal, stop);
  const timeMs = options.limits?.timeMs;
  const clock = timeMs === undefined ? undefined : setTimeout(() => stop.abort(TIME_LIMIT), timeMs);
  const end = (error?: unknown): void => {
    clearTimeout(clock);
    unlink();
    channel.close(error);
    stop.abort(READER_LEFT);
  };
  const driving = drive(options, { signal: stop.signal, emit: (event) => channel.push(event) }).then(() => end(), end);
  return { stop, driving };
}
