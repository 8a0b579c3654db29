import { errorMessage, linkAbort, MAX_TIMER_MS, nodeModule, onAbort } from '@kernel/internal';
import { type AgentEvent, KernelError } from '@kernel/protocol';
import { checkRunOptions } from './check-options.ts';
import { initialHistory } from './history/repair-history.ts';
import { createAsyncGenerator } from './iteration/async-generator.ts';
import { createEventQueue, type EventQueue } from './iteration/event-queue.ts';
import { withReadAll } from './iteration/read-all.ts';
import { runLoop } from './loop/loop.ts';
import { endingOfError, TIME_LIMIT } from './loop/run-end.ts';
import type { TypedOutput } from './loop/run-state.ts';
import type { StepContext } from './loop/steps.ts';
import type { RequiredContext, RunOptions } from './options.ts';
import type { OutputSchema } from './output/output-schema.ts';

/** The abort reason at the end of a run. Created once: capturing a stack costs more than the rest of it. */
const RUN_OVER = new KernelError('TOOL_CANCELLED', 'The run is over, or its reader has left.');

/**
 * Runs a conversation until the model answers: asks the model, runs the calls it asks for, feeds the results back.
 *
 * Throws `CONFIG_INVALID` at once for options that no run can start with, and nothing else, except `LIMIT_REACHED` after the `run-end` with
 * `limits.onLimit: 'throw'`. Nothing happens before the first `next()`. The last event is one `run-end`, on every path. Leaving the
 * iteration aborts everything in flight. After an abort the run settles within 50 ms, whatever handlers do.
 *
 * @example
 * ```ts
 * import { run } from '@kernel/agent';
 * import { createProvider } from '@kernel/providers';
 *
 * const messages = [{ role: 'user', content: 'Why is the sky blue?' }] as const;
 * for await (const event of run({ provider: createProvider({ name: 'ollama' }), model: 'qwen3', messages })) {
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 *   if (event.type === 'run-end') console.log(event.reason, event.usage);
 * }
 * ```
 */
export function run<Context = unknown, Output = unknown>(
  options: RunOptions<Context, Output> & RequiredContext<Context>,
): AsyncGenerator<AgentEvent<Output>, void>;
export function run(options: RunOptions): AsyncGenerator<AgentEvent, void> {
  return runWatched(options);
}

/** Like `run`, and shows each event to `watch` as it is emitted, however far behind the reader is. */
export function runWatched(options: RunOptions, watch?: (event: AgentEvent) => void): AsyncGenerator<AgentEvent, void> {
  checkRunOptions(options);
  const queue = createEventQueue<AgentEvent>();
  let started: StartedRun | undefined;
  let hasLeft = false;

  async function leave(): Promise<void> {
    hasLeft = true;
    queue.discard();
    started?.controller.abort(RUN_OVER);
    await started?.ended;
  }

  const events = createAsyncGenerator(() => {
    if (!hasLeft) started ??= launch(options, watch, queue);
    return queue.next();
  }, leave);
  return withReadAll(events, async (listener) => {
    // Nothing of a run that starts here goes through the queue but its end.
    if (!hasLeft) started ??= launch(options, watch, queue, listener);
    try {
      for (let next = await queue.next(); next.done !== true; next = await queue.next()) listener(next.value);
    } catch (error) {
      await leave();
      throw error;
    }
  });
}

interface StartedRun {
  readonly controller: AbortController;
  /** Settles when the run has ended. Never rejects. */
  readonly ended: Promise<void>;
}

/** Starts the loop. Its events go to `listener`, or else through the queue; the end of both is that of the queue. */
function launch(
  options: RunOptions,
  watch: ((event: AgentEvent) => void) | undefined,
  queue: EventQueue<AgentEvent>,
  listener?: (event: AgentEvent) => void,
): StartedRun {
  const controller = new AbortController();
  // Every call of a parallel batch may listen on this one signal.
  nodeModule('node:events')?.setMaxListeners(0, controller.signal);
  const unlink = linkAbort(options.signal, controller);
  const { timeMs = Infinity } = options.limits ?? {};
  const timer = timeMs > MAX_TIMER_MS ? undefined : setTimeout(() => controller.abort(TIME_LIMIT), timeMs);
  const end = (error?: unknown): void => {
    clearTimeout(timer);
    unlink();
    queue.close(error);
    controller.abort(RUN_OVER);
  };
  const { signal } = controller;
  // A reader that has stalled holds up no abort and no limit of time.
  onAbort(signal, () => queue.release());
  let isOver = false;
  const emit = (event: AgentEvent): void | Promise<void> => {
    if (isOver) return undefined; // calls that an error left behind may still report
    isOver = event.type === 'run-end';
    watch?.(event);
    if (listener === undefined) return queue.push(event);
    try {
      return listener(event);
    } catch (error) {
      isOver = true;
      return queue.close(error);
    }
  };
  const context: StepContext = { signal, emit };
  const { output } = options;
  const running = output === undefined ? runLoop(options, context) : runWithOutput(options, output, context);
  const ended = running.then(() => end(), end);
  return { controller, ended };
}

/** Runs the loop for a typed answer, whose code is loaded with the first one. A schema that is wrong ends the run before its first turn. */
async function runWithOutput(options: RunOptions, schema: OutputSchema, context: StepContext): Promise<void> {
  let output: TypedOutput;
  try {
    const { createTypedOutput } = await import('./output/typed-output.ts');
    output = await createTypedOutput(schema, options.tools);
  } catch (error) {
    const messages = Object.freeze(initialHistory(options.messages, options.system));
    const usage = { inputTokens: 0, outputTokens: 0 };
    const failed = KernelError.is(error)
      ? error
      : new KernelError('CONFIG_INVALID', `The output schema failed: ${errorMessage(error)}`, { cause: error });
    void context.emit({ type: 'run-end', ...endingOfError(failed, context.signal), turns: 0, messages, usage });
    return;
  }
  await runLoop(options, context, output);
}
