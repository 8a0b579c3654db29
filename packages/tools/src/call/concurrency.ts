import { createAsyncStorage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import { asDeclared } from '../unsafe-casts.ts';
import { callSafely } from './call-safely.ts';
import { type ConcurrencyLimit, createSemaphore } from './semaphore.ts';

/** The right to run one call. */
export interface Permit {
  /** Runs work in an async context that knows the limits it holds, so that the calls it makes can be checked for deadlock. */
  run<T>(work: () => T): T;
  /** Releases the limits. Those of the tool itself are held until an abandoned handler has settled. */
  release(abandoned: Promise<unknown> | undefined): void;
}

/** Limits how many calls run at once, without deadlock. */
export interface ConcurrencyLimiter {
  /** Waits for a permit, at most `timeoutMs`. Returns the error that the model reads if there is none. Never rejects. */
  acquire(
    toolName: string,
    limits: readonly ConcurrencyLimit[],
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Permit | KernelError>;
}

interface Holder {
  limits: readonly ConcurrencyLimit[];
  readonly parent: Holder | undefined;
}

/** Creates the limiter of a registry. Most registries have no tool with a limit, and keep nothing for it. */
export function createConcurrencyLimiter(): ConcurrencyLimiter {
  let used: ConcurrencyLimiter | undefined;
  return { acquire: (...call) => (used ??= createUsedLimiter()).acquire(...call) };
}

function createUsedLimiter(): ConcurrencyLimiter {
  const semaphore = createSemaphore();
  const abandonedCounts = new Map<string, number>();
  const holders = createAsyncStorage<Holder>();
  const countAbandoned = (limits: readonly ConcurrencyLimit[], change: 1 | -1): void => {
    for (const { id } of limits) {
      const count = (abandonedCounts.get(id) ?? 0) + change;
      if (count === 0) abandonedCounts.delete(id);
      else abandonedCounts.set(id, count);
    }
  };

  return {
    async acquire(toolName, limits, signal, timeoutMs) {
      const parent = holders.getStore();
      if (limits.some((limit) => heldCount(parent, limit) >= limit.max)) return deadlock(toolName);
      const release = await semaphore.acquire(limits, signal, timeoutMs);
      if (release === 'aborted') return cancelledBeforeStart(toolName);
      if (release === 'timeout') {
        return queueTimeout(
          toolName,
          timeoutMs,
          limits.some((limit) => abandonedCounts.has(limit.id)),
        );
      }
      const holder: Holder = { limits, parent };
      return {
        run: (work) => holders.run(holder, work),
        release(abandoned) {
          if (abandoned === undefined) {
            holder.limits = [];
            return release();
          }
          const ownLimits = limits.filter((limit) => limit.shared !== true);
          release(true);
          countAbandoned(ownLimits, 1);
          void abandoned.then(() => {
            holder.limits = [];
            countAbandoned(ownLimits, -1);
            return release();
          });
        },
      };
    },
  };
}

export function cancelledBeforeStart(toolName: string): KernelError {
  return new KernelError('TOOL_CANCELLED', `"${toolName}" was cancelled before it started.`, {
    data: { tool: toolName },
  });
}

function deadlock(toolName: string): KernelError {
  const message = `"${toolName}" cannot run now: it would wait for a call that is waiting for it.`;
  const hint = 'A handler must not call a tool whose concurrency limit it holds.';
  return new KernelError('TOOL_UNAVAILABLE', message, { hint, data: { tool: toolName } });
}

function queueTimeout(toolName: string, timeoutMs: number, hasAbandoned: boolean): KernelError {
  const reason = hasAbandoned
    ? 'an earlier call that was abandoned is still running'
    : 'earlier calls were still running';
  const message = `"${toolName}" could not start within ${timeoutMs} ms and has not run: ${reason}.`;
  const data = { tool: toolName, timeoutMs, timeout: 'queue' };
  return new KernelError('TOOL_TIMEOUT', message, { retryable: true, data });
}

function heldCount(holder: Holder | undefined, limit: ConcurrencyLimit): number {
  let count = 0;
  for (let at = holder; at !== undefined; at = at.parent) count += at.limits.some(({ id }) => id === limit.id) ? 1 : 0;
  return count;
}

const NO_LIMITS: readonly ConcurrencyLimit[] = [];

/**
 * The limits that a call counts against; none for most calls. All calls of a registry share the limit `registryMax`; a `write` tool without a limit
 * of its own runs one call at a time, per key if it has a key function.
 */
export function limitsFor(binding: ToolBinding, input: unknown, registryMax: number): readonly ConcurrencyLimit[] {
  const { concurrency, tool } = binding;
  const writes = tool.effect === 'write';
  const shared: readonly ConcurrencyLimit[] =
    registryMax === Infinity ? NO_LIMITS : [{ id: '', max: registryMax, shared: true }];
  const { max, key } = typeof concurrency === 'object' ? concurrency : { max: concurrency, key: undefined };
  const limit = max ?? (writes || key !== undefined ? 1 : Infinity);
  if (limit === Infinity) return shared;
  return [...shared, { id: key === undefined ? tool.name : `${tool.name} ${keyOf(key, input)}`, max: limit }];
}

/** Calls whose key function throws share one key, which is the safe choice. */
function keyOf(key: (input: never) => string, input: unknown): string {
  try {
    const found: unknown = key(asDeclared(input));
    if (typeof found === 'string' || typeof found === 'number') return `key ${found}`;
    callSafely(() => found); // an async function may reject
    return 'no key';
  } catch {
    return 'no key';
  }
}
