import type { CallContext, ToolResult } from '@kernel/protocol';
import type { CallLate, EventSource } from '../registry/events.ts';
import { wrapValue } from './outcome.ts';

/** Where a call's end and what comes after it are told. */
export interface CompletionDesk {
  /** The call is over; tells `call-end` and, for an async tool, an outcome that came early. */
  end(result: ToolResult): void;
  /** An async tool's outcome. The first one of a call that was async is delivered; any other is only told. */
  complete(result: unknown): void;
  late(what: CallLate['what'], isError: boolean, result?: ToolResult): void;
}

/** Creates the desk of one call. */
export function createCompletion(
  name: string,
  callId: string,
  caller: CallContext,
  events: EventSource,
  detail: boolean,
): CompletionDesk {
  const started = performance.now();
  const early: unknown[] = [];
  let state: 'running' | 'waiting' | 'delivered' | 'closed' = 'running';

  const late: CompletionDesk['late'] = (what, isError, result) => {
    if (!events.hearsCalls) return;
    const durationMs = performance.now() - started;
    events.emit({
      type: 'call-late',
      name,
      callId,
      what,
      isError,
      durationMs,
      ...(detail && result !== undefined ? { result } : {}),
    });
  };
  const deliver = (value: unknown): void => {
    const result = wrapValue(value, name);
    const isError = result.isError === true;
    if (state === 'delivered') return late('repeated', isError, result);
    const waits = state === 'waiting' && caller.onComplete !== undefined;
    state = state === 'waiting' ? 'delivered' : state;
    if (waits) {
      try {
        caller.onComplete?.(result);
      } catch {
        // The caller's own fault, in the caller's own code; the outcome counts as delivered.
      }
    }
    late(waits ? 'completed' : 'orphan', isError, result);
  };

  return {
    late,
    complete(result) {
      if (state === 'running') early.push(result);
      else deliver(result);
    },
    end(result) {
      state = result.async === true ? 'waiting' : 'closed';
      if (events.hearsCalls) {
        events.emit({
          type: 'call-end',
          name,
          callId,
          durationMs: performance.now() - started,
          isError: result.isError === true,
          outcome: result.outcome ?? 'done',
          ...(result.async === true ? { async: true } : {}),
          ...(result.code === undefined ? {} : { code: result.code }),
          ...(result.repairs === undefined ? {} : { repairs: result.repairs }),
          ...(detail ? { result } : {}),
        });
      }
      // Promise order: whoever awaits the call sees its result before an outcome that came early.
      if (early.length > 0) queueMicrotask(() => early.splice(0).forEach(deliver));
    },
  };
}
