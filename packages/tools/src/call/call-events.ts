import type { ToolResult } from '@kernel/protocol';
import type { ToolBinding } from '../tool/binding.ts';
import type { CallLate, EventSource } from '../registry/events.ts';
import type { Redactor } from './redact-result.ts';
import { wrapValue } from './result.ts';
import type { CallRequest } from './runner.ts';

/** One call while it runs and, for an async tool, until its outcome came. */
export interface CallRecord {
  readonly request: CallRequest;
  /** When it began; 0 where nobody heard it begin. */
  readonly started: number;
  state: 'running' | 'waiting' | 'delivered' | 'closed';
  /** The end of an attempt that was left behind and still runs. */
  left: Promise<unknown> | undefined;
  /** Outcomes that came before the call had ended. */
  early: unknown[] | undefined;
}

/** Where the beginning and end of calls, and what comes after, are told. */
export interface Desk {
  begin(request: CallRequest): CallRecord;
  progress(record: CallRecord, update: string): void;
  /** A call that nothing was found to run for; tells its beginning and its end. */
  refused(name: string, callId: string, result: ToolResult): ToolResult;
  /** The call is over; delivers an outcome that came early. */
  end(record: CallRecord, result: ToolResult): void;
  /** An async tool's outcome. The first one of a call that was async is delivered; any other is only told. */
  complete(record: CallRecord, value: unknown): void;
  late(record: CallRecord, what: CallLate['what'], isError: boolean, result?: ToolResult): void;
}

/** Creates the desk of a registry. Events that nobody hears are not made; `polish` cuts late outcomes like any result. */
export function createDesk(
  events: EventSource,
  detail: boolean,
  polish: (result: ToolResult, binding: ToolBinding) => ToolResult,
  redactor: Redactor | undefined,
): Desk {
  const late: Desk['late'] = (record, what, isError, result) => {
    if (!events.hearsCalls) return;
    const { id, binding } = record.request;
    const durationMs = since(record.started);
    const extra = detail && result !== undefined ? { result } : {};
    events.emit({ type: 'call-late', name: binding.tool.name, callId: id, what, isError, durationMs, ...extra });
  };
  const deliver = (record: CallRecord, value: unknown): void => {
    const { binding, context } = record.request;
    const result = polish(wrapValue(value, binding.tool.name), binding);
    const isError = result.isError === true;
    if (record.state === 'delivered') return late(record, 'repeated', isError, result);
    const waits = record.state === 'waiting' && context.onComplete !== undefined;
    if (record.state === 'waiting') record.state = 'delivered';
    if (waits) quietly(() => context.onComplete?.(result));
    late(record, waits ? 'completed' : 'orphan', isError, result);
  };

  const tellEnd = (name: string, callId: string, result: ToolResult, started: number): void => {
    if (!events.hearsCalls) return;
    events.emit({
      type: 'call-end',
      name,
      callId,
      durationMs: since(started),
      isError: result.isError === true,
      outcome: result.outcome ?? 'done',
      ...(result.async === true ? { async: true } : {}),
      ...(result.code === undefined ? {} : { code: result.code }),
      ...(result.repairs === undefined ? {} : { repairs: result.repairs }),
      ...(detail ? { result } : {}),
    });
  };

  return {
    refused(name, callId, result) {
      if (events.hearsCalls) events.emit({ type: 'call-start', name, callId });
      tellEnd(name, callId, result, performance.now());
      return result;
    },
    begin(request) {
      if (events.hearsCalls) {
        const extra = detail ? { arguments: redactor?.data(request.arguments) ?? request.arguments } : {};
        events.emit({ type: 'call-start', name: request.binding.tool.name, callId: request.id, ...extra });
      }
      return {
        request,
        started: events.hearsCalls ? performance.now() : 0,
        state: 'running',
        left: undefined,
        early: undefined,
      };
    },
    progress(record, given) {
      if (record.state !== 'running') return;
      const update = redactor?.text(given) ?? given;
      const { id, binding, context } = record.request;
      if (events.hearsCalls) events.emit({ type: 'call-progress', name: binding.tool.name, callId: id, update });
      if (context.onProgress !== undefined) quietly(() => context.onProgress?.(update));
    },
    complete(record, value) {
      if (record.state === 'running') (record.early ??= []).push(value);
      else deliver(record, value);
    },
    late,
    end(record, result) {
      record.state = result.async === true ? 'waiting' : 'closed';
      tellEnd(record.request.binding.tool.name, record.request.id, result, record.started);
      const { early } = record;
      if (early === undefined) return;
      record.early = undefined;
      // Whoever awaits the call sees its result before an outcome that came early.
      queueMicrotask(() => {
        for (const value of early) deliver(record, value);
      });
    },
  };
}

function since(started: number): number {
  return started === 0 ? 0 : performance.now() - started;
}

/** A caller's callback that throws harms nobody: the fault is the caller's own, and the call goes on. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // Nobody to tell: the thrower is the listener.
  }
}
