import {
  type CallContext,
  KernelError,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
} from '@kernel/protocol';

/** What is done with the outcome of an async tool: it becomes a message of the run, the call waits for it, or neither. */
export type AsyncMode = 'inject' | 'await' | 'ignore';

/** How late outcomes are treated. */
export interface AsyncPolicy {
  /** Default `inject`, which is also what a run does without this wrapper. */
  readonly mode?: AsyncMode | undefined;
  /** Other modes by tool name. */
  readonly byTool?: Readonly<Record<string, AsyncMode>> | undefined;
  /** How long `await` waits, in milliseconds. Default 300,000; 0 means as long as the run. */
  readonly timeoutMs?: number | undefined;
  /** Hears outcomes that the run does not: ignored ones, those after an `await` gave up, and those after the end of the run. */
  readonly onLateResult?: ((call: ToolCall, result: ToolResult) => void) | undefined;
}

const DEFAULT_WAIT_MS = 300_000;

/** Gives a toolset's async tools a policy. A throwing `onLateResult` harms nobody. */
export function withAsyncPolicy(tools: Toolset, policy: AsyncPolicy): Toolset {
  const { mode: fallback = 'inject', timeoutMs = DEFAULT_WAIT_MS } = policy;
  const modes = new Map(Object.entries(policy.byTool ?? {}));
  const tellLate = (call: ToolCall, result: ToolResult): void => {
    try {
      policy.onLateResult?.(call, result);
    } catch {
      // The listener's own business.
    }
  };
  return {
    ...tools,
    async call(call, context) {
      const mode = modes.get(call.name) ?? fallback;
      const { promise: outcome, resolve } = Promise.withResolvers<ToolResult>();
      let isWaiting = mode === 'await';
      const onComplete = (result: ToolResult): void => {
        if (isWaiting) resolve(result);
        else if (mode === 'inject' && !context.signal.aborted) context.onComplete?.(result);
        else tellLate(call, result);
      };
      const first = await tools.call(call, { ...context, onComplete });
      if (mode !== 'await' || first.async !== true) return first;
      const result = await within(outcome, call, context, timeoutMs);
      isWaiting = false;
      return result;
    },
  };
}

/** Waits for an outcome until the clock or the run's signal; then a result that says what is known. */
async function within(
  outcome: Promise<ToolResult>,
  call: ToolCall,
  { signal }: CallContext,
  timeoutMs: number,
): Promise<ToolResult> {
  const { promise: given, resolve } = Promise.withResolvers<ToolResult>();
  const stop = (): void =>
    resolve(
      toErrorResult(new KernelError('TOOL_CANCELLED', `"${call.name}" still runs in the background.`), 'abandoned'),
    );
  const expire = (): void => {
    const error = new KernelError(
      'TOOL_TIMEOUT',
      `"${call.name}" gave no outcome within ${timeoutMs} ms (asyncPolicy.timeoutMs).`,
      {
        hint: 'It still runs in the background.',
        retryable: true,
      },
    );
    resolve(toErrorResult(error, 'timeout'));
  };
  const timer = timeoutMs > 0 && timeoutMs < Infinity ? setTimeout(expire, timeoutMs) : undefined;
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([outcome, given]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
