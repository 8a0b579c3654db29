import type { Redactor } from '@kernel/internal';
import type { PreparedCall, RunningCall, ToolResult } from '@kernel/protocol';
import type { ValidatedArguments } from '@kernel/schema';
import type { ToolBinding } from '../tool/binding.ts';
import type { CallEvent, CallEventSink } from './call-events.ts';
import { callSafely } from './call-safely.ts';
import { failureText } from './failure-text.ts';
import { toResult } from './result.ts';
import type { CallRequest } from './types.ts';

/** The state of one call, which for an async tool lives until its late result is delivered. */
export interface CallRecord {
  readonly request: CallRequest;
  readonly running: RunningCall;
  /** When it was received; 0 if nothing listened then. */
  readonly started: number;
  /** How far it is; `waiting` for the late result of an async tool. */
  state: 'running' | 'waiting' | 'delivered' | 'closed';
  /** Settles with an abandoned handler that still runs. */
  abandoned: Promise<unknown> | undefined;
  /** Late results that arrived before the call had ended. */
  earlyResults: unknown[] | undefined;
  /** The call of a mounted toolset that runs instead of a handler. */
  readonly forwarded: PreparedCall | undefined;
}

/** Reports calls to the listeners of the registry and to the callbacks of the caller. */
export interface CallReporter {
  start(request: CallRequest, running: RunningCall, forwarded: PreparedCall | undefined): CallRecord;
  /** Passes a progress update on; ignored after the end of the call. */
  progress(record: CallRecord, update: string): void;
  /** Reports the start and end of a call that has no binding to run, and returns its result. */
  refused(name: string, callId: string, result: ToolResult): ToolResult;
  /** Ends a call, and delivers late results that arrived early. `validated` are the arguments that it ran with, if it ran. */
  end(record: CallRecord, result: ToolResult, validated?: ValidatedArguments): void;
  /** Accepts a late result of an async tool. Only the first is delivered; any other is only reported. */
  complete(record: CallRecord, returned: unknown): void;
  /** Reports something that happened after the end of a call. */
  late(
    record: CallRecord,
    kind: Extract<CallEvent, { readonly type: 'call-late' }>['kind'],
    isError: boolean,
    result?: ToolResult,
  ): void;
}

/** Creates the reporter of a registry. `finalize` redacts and shortens late results like any other result. */
export function createCallReporter(
  events: CallEventSink,
  detail: boolean,
  finalize: (result: ToolResult, record: CallRecord) => ToolResult,
  redactor: Redactor,
): CallReporter {
  const late: CallReporter['late'] = (record, kind, isError, result) => {
    if (!events.hasCallListeners()) return;
    const { id, binding } = record.request;
    const durationMs = since(record.started);
    const extra = detail && result !== undefined ? { result } : {};
    events.emit({ type: 'call-late', name: binding.tool.name, callId: id, kind, isError, durationMs, ...extra });
  };
  const readArguments = (given: unknown): unknown => {
    try {
      return redactor.data(given);
    } catch {
      return '[arguments that cannot be read]';
    }
  };
  const argumentsOf = (binding: ToolBinding, validated: ValidatedArguments | undefined): object | undefined => {
    if (binding.input.forward !== undefined || validated === undefined || validated.error !== undefined)
      return undefined;
    return { arguments: readArguments('json' in validated ? validated.json : validated.input) };
  };
  const deliver = (record: CallRecord, returned: unknown): void => {
    const { onComplete } = record.running;
    const result = finalize(toResult(returned, record.request.binding), record);
    const isError = result.isError === true;
    if (record.state === 'delivered') return late(record, 'repeated', isError, result);
    const isAwaited = record.state === 'waiting' && onComplete !== undefined;
    if (record.state === 'waiting') record.state = 'delivered';
    if (isAwaited) callSafely(() => onComplete(result));
    late(record, isAwaited ? 'completed' : 'orphan', isError, result);
  };

  const emitEnd = (name: string, callId: string, result: ToolResult, started: number, given?: object): void => {
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
      ...(detail ? { ...given, result } : {}),
    });
  };

  return {
    refused(name, callId, result) {
      if (events.hasCallListeners()) {
        events.emit({ type: 'call-start', name, callId });
        emitEnd(name, callId, result, performance.now());
      }
      return result;
    },
    start(request, running, forwarded) {
      const isHeard = events.hasCallListeners();
      if (isHeard) {
        const extra = detail ? { arguments: readArguments(request.arguments) } : {};
        events.emit({ type: 'call-start', name: request.binding.tool.name, callId: request.id, ...extra });
      }
      return {
        request,
        running,
        started: isHeard ? performance.now() : 0,
        state: 'running',
        abandoned: undefined,
        earlyResults: undefined,
        forwarded,
      };
    },
    progress(record, text) {
      if (record.state !== 'running') return;
      const update = redactor.text(typeof text === 'string' ? text : failureText(text)).toWellFormed();
      const { id, binding } = record.request;
      const { onProgress } = record.running;
      if (events.hasCallListeners())
        events.emit({ type: 'call-progress', name: binding.tool.name, callId: id, update });
      if (onProgress !== undefined) callSafely(() => onProgress(update));
    },
    complete(record, returned) {
      if (record.state === 'running') (record.earlyResults ??= []).push(returned);
      else deliver(record, returned);
    },
    late,
    end(record, result, validated) {
      record.state = result.async === true ? 'waiting' : 'closed';
      if (events.hasCallListeners()) {
        const { id, binding } = record.request;
        emitEnd(binding.tool.name, id, result, record.started, detail ? argumentsOf(binding, validated) : undefined);
      }
      const { earlyResults } = record;
      if (earlyResults === undefined) return;
      record.earlyResults = undefined;
      // Whoever awaits the call sees its first result before a late one that arrived early.
      queueMicrotask(() => {
        for (const returned of earlyResults) deliver(record, returned);
      });
    },
  };
}

function since(started: number): number {
  return started === 0 ? 0 : performance.now() - started;
}
