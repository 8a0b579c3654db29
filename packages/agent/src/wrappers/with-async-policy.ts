import { MAX_TIMER_MS, onAbort } from '@kernel/internal';
import {
  checkToolset,
  checkChoice,
  checkFunctions,
  checkNumber,
  KernelError,
  type RunningCall,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  wrapCalls,
} from '@kernel/protocol';
import { ignoreRejection } from '../ignore-rejection.ts';

/** What happens to the late result of an async tool: it becomes a message of the run, the call waits for it, or neither. */
export type AsyncMode = 'inject' | 'await' | 'ignore';

/** How late results are treated. */
export interface AsyncPolicy {
  /** Default `inject`, which is also what a run does without this wrapper. */
  readonly mode?: AsyncMode | undefined;
  /** Modes by tool name, where they differ from `mode`. */
  readonly byTool?: Readonly<Record<string, AsyncMode>> | undefined;
  /** How long `await` waits, in milliseconds. Default 300,000; 0 means as long as the run. */
  readonly timeoutMs?: number | undefined;
  /** Called with the late results that do not reach the run: ignored ones, and those after the timeout of `await` or after the end of the run. What it throws is ignored. */
  readonly onLateResult?: ((call: ToolCall, result: ToolResult) => void) | undefined;
}

const MODES: readonly AsyncMode[] = ['inject', 'await', 'ignore'];
const DEFAULT_TIMEOUT_MS = 300_000;

/** Wraps a toolset so that the late results of its async tools follow a policy. */
export function withAsyncPolicy<Context = unknown>(tools: Toolset<Context>, policy: AsyncPolicy): Toolset<Context> {
  checkToolset('withAsyncPolicy', tools);
  checkChoice('withAsyncPolicy', 'mode', policy.mode, MODES);
  for (const [name, mode] of Object.entries(policy.byTool ?? {}))
    checkChoice('withAsyncPolicy', `byTool.${name}`, mode, MODES);
  checkNumber('withAsyncPolicy', 'timeoutMs', policy.timeoutMs, 0);
  checkFunctions('withAsyncPolicy', { onLateResult: policy.onLateResult });
  const { mode: defaultMode = 'inject', timeoutMs = DEFAULT_TIMEOUT_MS } = policy;
  const modes = new Map(Object.entries(policy.byTool ?? {}));
  const notifyLate = (call: ToolCall, result: ToolResult): void => {
    try {
      ignoreRejection(policy.onLateResult?.(call, result));
    } catch {
      // An error of the listener must not reach the tool that reports its late result.
    }
  };
  return wrapCalls(tools, (prepared, call) => ({
    ...prepared,
    async run(running) {
      const mode = modes.get(call.name) ?? defaultMode;
      const { promise: lateResult, resolve } = Promise.withResolvers<ToolResult>();
      ignoreRejection(lateResult); // one with a `then` that throws, when nobody waits for it
      let isWaiting = mode === 'await';
      const onComplete = (result: ToolResult): void => {
        if (isWaiting) resolve(result);
        else if (mode === 'inject' && !running.signal.aborted) running.onComplete?.(result);
        else notifyLate(call, result);
      };
      const first = await prepared.run({ ...running, onComplete });
      if (mode !== 'await' || first.async !== true) return first;
      const result = await untilLateResult(lateResult, call, running, timeoutMs);
      isWaiting = false;
      return result;
    },
  }));
}

/** Waits for a late result until the timeout or an abort, which give a failed result. */
async function untilLateResult(
  lateResult: Promise<ToolResult>,
  call: ToolCall,
  { signal }: RunningCall,
  timeoutMs: number,
): Promise<ToolResult> {
  const { promise: failure, resolve } = Promise.withResolvers<ToolResult>();
  const expire = (): void => {
    const error = new KernelError(
      'TOOL_TIMEOUT',
      `"${call.name}" gave no outcome within ${timeoutMs} ms (asyncPolicy.timeoutMs).`,
      { hint: 'It is still running in the background.', retryable: true },
    );
    resolve(toErrorResult(error, 'timeout'));
  };
  const timer = timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS ? setTimeout(expire, timeoutMs) : undefined;
  const removeAbortListener = onAbort(signal, () => {
    const error = new KernelError(
      'TOOL_CANCELLED',
      `"${call.name}" was stopped by the caller; it may still be running in the background.`,
    );
    resolve(toErrorResult(error, 'abandoned'));
  });
  try {
    return await Promise.race([lateResult, failure]);
  } finally {
    clearTimeout(timer);
    removeAbortListener();
  }
}
