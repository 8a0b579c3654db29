import type { ToolContext } from '@kernel/protocol';
import type { CallRequest } from './types.ts';

/** Creates the context that a handler gets with its input. Every attempt has its own, so that parallel calls cannot mix them up. */
export function createToolContext(
  { id, binding, context: { conversation, context, turn, idempotencyKey } }: CallRequest,
  signal: AbortSignal,
  onProgress: ToolContext['onProgress'],
  onComplete: ToolContext['onComplete'],
): ToolContext {
  return {
    callId: id,
    toolName: binding.tool.name,
    signal,
    conversation,
    context,
    turn,
    idempotencyKey,
    onProgress,
    onComplete,
  };
}
