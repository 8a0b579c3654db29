import type { CallContext, ToolContext } from '@kernel/protocol';

/** Creates the context that a handler gets with its input. Every attempt has its own, so that parallel calls cannot mix them up. */
export function createToolContext(
  callId: string,
  toolName: string,
  caller: CallContext,
  signal: AbortSignal,
  callbacks: Pick<ToolContext, 'onProgress' | 'onComplete'>,
): ToolContext {
  return {
    callId,
    toolName,
    signal,
    conversation: caller.conversation,
    context: caller.context,
    turn: caller.turn,
    idempotencyKey: caller.idempotencyKey,
    onProgress: callbacks.onProgress,
    onComplete: callbacks.onComplete,
  };
}
