import type { FinishReason, KernelError, ToolCall, Usage } from '@kernel/protocol';
import type { AgentOutput } from './updates.ts';

/** What comes of an agent, in order. After an `end` or an `error` comes nothing. */
export type SessionEvent =
  | AgentOutput
  /** It asks for something that is to be decided on. */
  | { readonly type: 'request'; readonly call: ToolCall }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: Usage | undefined }
  | { readonly type: 'error'; readonly error: KernelError };

/** Creates a queue of what comes of an agent, with one reader: one that is slow gets long texts, not many. */
export function createEvents() {
  const events: SessionEvent[] = [];
  let waiting: (() => void) | undefined;
  return {
    push(event: SessionEvent): void {
      const last = events.at(-1);
      if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) last.text += event.text;
      else events.push(event);
      waiting?.();
    },
    /** Removes and returns what came first; undefined if there is nothing now. */
    next: (): SessionEvent | undefined => events.shift(),
    /** Resolves when there is something to return. */
    untilReady: (): Promise<void> =>
      events.length > 0 ? Promise.resolve() : new Promise((resolve) => void (waiting = resolve)),
  };
}
