import type { AgentEvent } from '@kernel/protocol';
import { collect, type RunResult } from './collect.ts';
import { createBufferedReader } from './iteration/buffered-reader.ts';
import type { RequiredContext, RunOptions } from './options.ts';
import { run } from './run.ts';

/** A run that is under way, for several readers. */
export interface RunHandle<Output = unknown> {
  /**
   * The events. Later readers get all events, up to a backlog of 1,000. Beyond that unread events are dropped, and reading throws `LIMIT_REACHED`.
   * Can be read once.
   */
  readonly events: AsyncIterable<AgentEvent<Output>>;
  /** The text of the replies as it arrives. A later reader gets what has arrived in one piece. Can be read once. */
  readonly text: AsyncIterable<string>;
  /** How the run ended. Resolves whatever the reason, and rejects with what `run` throws (`LIMIT_REACHED`, by option). */
  readonly result: Promise<RunResult<Output>>;
  /** Ends the run with reason `aborted`. */
  abort(): void;
}

const MAX_BACKLOG = 1_000;

/**
 * Starts a run with several readers: its events, its text and its result, any of which may be left unread.
 *
 * The run goes at the pace of the slowest reader that has begun; a reader that leaves no longer counts, and the run goes on. `abort` or `signal`
 * ends it. Throws `CONFIG_INVALID` at once, like `run`.
 */
export function start<Context = unknown, Output = unknown>(
  options: RunOptions<Context, Output> & RequiredContext<Context>,
): RunHandle<Output> {
  const controller = new AbortController();
  const { signal } = options;
  const both = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  const source = run<Context, Output>({ ...options, signal: both });
  const events = createBufferedReader<AgentEvent<Output>>('events', (backlog, event) => {
    backlog.push(event);
    return backlog.length <= MAX_BACKLOG;
  });
  const text = createBufferedReader<string>('text', (backlog, piece) => {
    backlog[0] = (backlog[0] ?? '') + piece;
    return true;
  });

  async function* deliver(): AsyncGenerator<AgentEvent<Output>, void> {
    for await (const event of source) {
      const lags = [events.push(event), event.type === 'text-delta' ? text.push(event.text) : undefined];
      for (const lag of lags) if (lag !== undefined) await lag;
      yield event;
    }
  }

  const result = collect<Output>(deliver());
  void endReaders();

  /** Ends the readers with the run. Where nobody waits for the result, its rejection is not unhandled. */
  async function endReaders(): Promise<void> {
    try {
      await result;
      events.close();
    } catch (error) {
      events.close(error);
    }
    text.close();
  }

  return { events: events.values, text: text.values, result, abort: () => controller.abort() };
}
