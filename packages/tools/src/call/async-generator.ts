import { inNextTurn, onAbort } from '@kernel/internal';
import { isToolResult } from '@kernel/protocol';
import { toJson } from './json-value.ts';

/** What an async generator function returns, whatever its values. */
type Generator = AsyncGenerator<unknown, unknown, undefined>;

/** How many values are taken before other work of the process gets its turn. */
const STEPS_PER_TURN = 1_000;

/** Whether a handler returned an async generator. A stream can be iterated too, but is not one: it has no `next`. */
export function isAsyncGenerator(value: unknown): value is Generator {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return false;
  return 'next' in value && typeof value.next === 'function' && 'return' in value && typeof value.return === 'function';
}

/**
 * Runs an async generator to its end and reports each value that it yields. Resolves to what it returns or, if that is `undefined`, to the
 * last value that it yielded. On abort its `return()` is called, so that its `finally` blocks run; then it resolves to what one of them returns, or rejects with the
 * signal's reason.
 */
export async function runGenerator(
  generator: Generator,
  signal: AbortSignal,
  onProgress: (update: string) => void,
): Promise<unknown> {
  let stopped: Promise<unknown> | undefined;
  const stop = (): Promise<unknown> => (stopped ??= callReturn(generator));
  const removeAbort = onAbort(signal, () => void stop());
  try {
    let last: unknown;
    for (let count = 1; ; count += 1) {
      if (signal.aborted) throw signal.reason;
      // Each value depends on the one before.
      // oxlint-disable-next-line no-await-in-loop
      const step = await generator.next();
      if (step.done === true) return step.value === undefined ? last : step.value;
      last = step.value;
      // A generator that never waits would keep timers and signals from running.
      // oxlint-disable-next-line no-await-in-loop
      if (count % STEPS_PER_TURN === 0) await new Promise<void>(inNextTurn);
      if (last !== undefined && !signal.aborted) onProgress(progressText(last));
    }
  } catch (error) {
    const returned = await stop();
    if (returned !== undefined) return returned;
    // oxlint-disable-next-line typescript/only-throw-error -- the handler's own error, or the caller's reason
    throw error;
  } finally {
    removeAbort();
  }
}

/** Asks a generator to stop, and resolves to what it returns then. What it throws is ignored: the call has ended already. */
async function callReturn(generator: Generator): Promise<unknown> {
  try {
    const { done, value } = await generator.return(undefined);
    return done === true ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Progress is only told: what cannot be read of it does not stop the tool. */
function progressText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (isToolResult(value)) return value.forLLM;
    const copy = toJson(value);
    return copy.problem === undefined ? copy.text : `(progress that cannot be read: ${copy.problem})`;
  } catch {
    return '(progress that cannot be read)';
  }
}
