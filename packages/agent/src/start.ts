import { type AgentEvent, KernelError } from '@kernel/protocol';
import { collect, type RunResult } from './collect.ts';
import { createBufferedReader } from './iteration/buffered-reader.ts';
import { createReplyText } from './reply-text.ts';
import type { RequiredContext, RunOptions } from './options.ts';
import { runWatched } from './run.ts';
import { runSessionWatched, type SessionRunOptions } from './session/run-session.ts';

/** A run in progress, for several readers. */
export interface RunHandle<Output = unknown> {
  /**
   * The events. Later readers get all events, up to a backlog of 1,000. Beyond that unread events are dropped, and reading throws `LIMIT_REACHED`.
   * Can be read once.
   */
  readonly events: AsyncIterable<AgentEvent<Output>>;
  /**
   * The text of the replies as it arrives, and the answer of a hook. A reader that starts late gets everything so far in one piece. Can be read once.
   * If a reply is withdrawn, or a typed answer rejected, after part of its text was read, reading throws `PROVIDER_PROTOCOL`; unread text is removed.
   */
  readonly text: AsyncIterable<string>;
  /**
   * How the run ended. Resolves whatever the reason, and rejects with what `run` and `runSession` throw: `LIMIT_REACHED`, by option, and
   * `STORE_FAILED` for a session that cannot be read.
   */
  readonly result: Promise<RunResult<Output>>;
  /** Ends the run with reason `aborted`. */
  abort(): void;
}

const MAX_BACKLOG = 1_000;

/**
 * Starts a run with several readers: its events, its text and its result, any of which may be left unread.
 *
 * The run proceeds at the pace of the slowest reader that has started; a reader that leaves no longer counts, and the run continues. `abort` or
 * `signal` ends it, and so does a limit, even while a reader has stalled. Throws `CONFIG_INVALID` at once, like `run`.
 *
 * With a `session` it runs like `runSession`: a client that reads its events may leave, while the run continues and is written to the session.
 *
 * @example
 * ```ts
 * import { start } from '@kernel/agent';
 * import { createProvider } from '@kernel/providers';
 *
 * const messages = [{ role: 'user', content: 'Why is the sky blue?' }] as const;
 * const { text, result } = start({ provider: createProvider({ name: 'ollama' }), model: 'qwen3', messages });
 * for await (const piece of text) process.stdout.write(piece);
 * console.log((await result).reason);
 * ```
 */
export function start<Context = unknown, Output = unknown>(
  options: (RunOptions<Context, Output> | SessionRunOptions<Context, Output>) & RequiredContext<Context>,
): RunHandle<Output>;
export function start(options: RunOptions | SessionRunOptions): RunHandle {
  const controller = new AbortController();
  const { signal } = options;
  const both = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  const events = createBufferedReader<AgentEvent>('events', (backlog, event) => {
    backlog.push(event);
    return backlog.length <= MAX_BACKLOG;
  });
  const text = createBufferedReader<string>('text', (backlog, piece) => {
    backlog[0] = (backlog[0] ?? '') + piece;
    return true;
  });

  const watch = (event: AgentEvent): void => {
    if (event.type !== 'run-end') return;
    events.release();
    text.release();
  };
  const source =
    'session' in options
      ? runSessionWatched({ ...options, signal: both }, watch)
      : runWatched({ ...options, signal: both }, watch);
  const replyText = createReplyText();

  function pushText(event: AgentEvent): void | Promise<void> {
    const withdrawn = replyText.voidLength(event);
    const piece = replyText.add(event);
    if (withdrawn > 0 && !text.revise((backlog) => (backlog[0] = backlog[0]?.slice(0, -withdrawn) ?? '')))
      text.close(withdrawnError());
    return piece === '' ? undefined : text.push(piece);
  }

  async function* deliver(): AsyncGenerator<AgentEvent, void> {
    for await (const event of source) {
      const lags = [events.push(event), pushText(event)];
      for (const lag of lags) if (lag !== undefined) await lag;
      yield event;
    }
  }

  const result = collect(deliver());
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

function withdrawnError(): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', 'A reply was withdrawn or rejected of which text was read already.', {
    hint: 'Read the events, which say so with "reply-withdrawn" and "output-rejected", or wait for the result.',
  });
}
