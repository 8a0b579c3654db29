import { setMaxListeners } from 'node:events';
import { type AgentEvent, KernelError } from '@kernel/protocol';
import { linkAbort } from './abort.ts';
import { createChannel } from './channel.ts';
import { drive } from './drive.ts';
import { TIME_LIMIT } from './ending.ts';
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
  return events(options);
}

async function* events(options: RunOptions): AsyncGenerator<AgentEvent, void> {
  const channel = createChannel<AgentEvent>();
  const stop = new AbortController();
  // Every call of a parallel batch may listen on this one signal.
  setMaxListeners(0, stop.signal);
  const unlink = linkAbort(options.signal, stop);
  const timeMs = options.limits?.timeMs;
  const clock = timeMs === undefined ? undefined : setTimeout(() => stop.abort(TIME_LIMIT), timeMs);
  const driving = drive(options, { signal: stop.signal, emit: (event) => channel.push(event) }).then(
    () => channel.close(),
    (error: unknown) => channel.close(error),
  );
  try {
    // One generator and plain yields: delegation costs several promises an event.
    for (let batch = await channel.take(); batch !== undefined; batch = await channel.take())
      for (const event of batch) yield event;
  } finally {
    clearTimeout(clock);
    channel.close();
    stop.abort(READER_LEFT);
    await driving;
    unlink();
  }
}
