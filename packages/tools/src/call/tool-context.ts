import type { CallContext, ToolContext, ToolResult } from '@kernel/protocol';

/** What a handler's calls back lead to. */
export interface ContextHooks {
  onProgress(update: string): void;
  onComplete(result: ToolResult): void;
}

/** Makes what a handler gets beside its input. Each attempt has its own, so that parallel calls of one tool can't mix them up. */
export function createContext(
  callId: string,
  toolName: string,
  caller: CallContext,
  signal: AbortSignal,
  hooks: ContextHooks,
): ToolContext {
  return {
    callId,
    toolName,
    signal,
    conversation: caller.conversation,
    idempotencyKey: caller.idempotencyKey,
    onProgress: (update) => hooks.onProgress(update),
    onComplete: (result) => hooks.onComplete(result),
  };
}
