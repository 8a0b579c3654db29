import type { CallContext, ToolContext, ToolResult } from '@kernel/protocol';

/** A call's context and the strings attached to it. */
export interface CallLife {
  readonly context: ToolContext;
  /** Aborts the signal that the handler sees. */
  stop(reason: unknown): void;
  /** From here on progress is no longer passed on. */
  end(): void;
}

/** What a handler's calls back lead to. */
export interface LifeHooks {
  onProgress(update: string): void;
  onComplete(result: unknown): void;
}

/**
 * Makes what a handler gets beside its input. Each call has its own, so that parallel calls of one tool can't mix them up.
 * The signal is made when it is first read.
 */
export function createLife(callId: string, toolName: string, caller: CallContext, hooks: LifeHooks): CallLife {
  let controller: AbortController | undefined;
  let stopped: { readonly reason: unknown } | undefined;
  let ended = false;
  const context: ToolContext = {
    callId,
    toolName,
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (stopped !== undefined) controller.abort(stopped.reason);
      }
      return controller.signal;
    },
    ...(caller.conversation === undefined ? {} : { conversation: caller.conversation }),
    ...(caller.idempotencyKey === undefined ? {} : { idempotencyKey: caller.idempotencyKey }),
    onProgress(update) {
      if (!ended) hooks.onProgress(update);
    },
    onComplete: (result: ToolResult) => hooks.onComplete(result),
  };
  return {
    context,
    stop(reason) {
      stopped ??= { reason };
      controller?.abort(reason);
    },
    end() {
      ended = true;
    },
  };
}
