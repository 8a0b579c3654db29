import {
  KernelError,
  isToolResult,
  type PreparedCall,
  type RunningCall,
  type ToolContext,
  type ToolResult,
} from '@kernel/protocol';
import { annotateResult, type ValidatedArguments } from '@kernel/schema';
import { adoptThenable, isNativePromise, isThenable } from './adopt-thenable.ts';
import { isAsyncGenerator, runGenerator } from './async-generator.ts';
import { createPlans } from './call-plan.ts';
import { type Calls, createPreparer, type ShownArguments, takeInput } from './prepare-calls.ts';
import { type CallRecord, createCallReporter } from './call-reporter.ts';
import { createConcurrencyLimiter, limitsFor, type Permit } from './concurrency.ts';
import { failureText } from './failure-text.ts';
import { type HandlerEnd, raceHandler } from './race-handler.ts';
import { cleanResult, redactorFor } from './redact-result.ts';
import {
  errorOf,
  failedResult,
  handlerResult,
  cancelledBeforeStartResult,
  refusedResult,
  unreadableHandlerResult,
} from './result.ts';
import { retryDelay } from './retry-delay.ts';
import { createToolContext } from './tool-context.ts';
import type { Runner, RunnerOptions } from './types.ts';

/**
 * Creates the runner of a registry: `prepare` validates the arguments; what it returns waits for a permit, runs the handler and reports. The common case
 * creates one prepared value and one promise.
 */
export function createRunner(options: RunnerOptions): Runner {
  const redactor = redactorFor(options.secrets);
  /** Redacts before it shortens: the part of a secret that a cut leaves would not be found. Never throws. */
  const finalizeResult = (result: ToolResult, { request: { binding, plan } }: CallRecord): ToolResult => {
    try {
      const clean = cleanResult(result, redactor);
      return plan.resultLimit > 0 ? options.limitResult(clean, plan.resultLimit) : clean;
    } catch (error) {
      const why = redactor.text(failureText(error));
      return result.isError === true
        ? failedResult(new Error(why), binding.tool.name)
        : unreadableHandlerResult(why, binding, new Error(why));
    }
  };
  const reporter = createCallReporter(options.events, options.detail, finalizeResult, redactor);
  const limiter = createConcurrencyLimiter();
  let abandonedCount = 0;

  /** Enters the handler, or the call of a mounted toolset. Returns how it ended, or the promise of its work. */
  const enter = (
    record: CallRecord,
    shown: ShownArguments,
    { signal }: AbortController,
  ): HandlerEnd | Promise<unknown> => {
    const { forwarded, request, running } = record;
    const { binding } = request;
    const onProgress = (update: string): void => reporter.progress(record, update);
    const context = createToolContext(request, signal, onProgress, (result) => reporter.complete(record, result));
    let value: unknown;
    try {
      if (forwarded === undefined) {
        const given = takeInput(binding, shown);
        if (given === undefined) return CHANGED;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema, or the caller's types, are the proof
        value = binding.handler(given.input as never, context as never);
      } else value = runForwarded(forwarded, running, context);
    } catch (error) {
      return { kind: 'error', error };
    }
    // Only an object can be a promise, a generator or a thenable.
    if (typeof value !== 'object') return { kind: 'value', value };
    try {
      if (isNativePromise(value)) return value;
      if (isAsyncGenerator(value)) return runGenerator(value, signal, onProgress);
      return isThenable(value) && !isToolResult(value) ? adoptThenable(value) : { kind: 'value', value };
    } catch (error) {
      return { kind: 'unread', error };
    }
  };
  const race = (
    record: CallRecord,
    controller: AbortController,
    work: Promise<unknown>,
    onEnd: (end: HandlerEnd) => void,
  ): void =>
    raceHandler(work, {
      signal: record.running.signal,
      timeoutMs: record.request.timeoutMs,
      stop: (reason) => controller.abort(reason),
      onEnd,
      onAbandoned: (settled) => trackAbandoned(record, settled),
    });
  const trackAbandoned = (record: CallRecord, settled: Promise<{ readonly failed: boolean }>): void => {
    abandonedCount += 1;
    record.abandoned = settled;
    void settled.then(({ failed }) => {
      abandonedCount -= 1;
      record.abandoned = undefined;
      return reporter.late(record, 'abandoned', failed);
    });
  };

  const finish = (record: CallRecord, result: ToolResult, validated?: ValidatedArguments): ToolResult => {
    const annotated = validated === undefined ? result : annotateResult(result, validated);
    const final = finalizeResult(annotated, record);
    reporter.end(record, final, validated);
    return final;
  };

  const runValidated = (record: CallRecord, shown: ShownArguments): Promise<ToolResult> => {
    const { binding, plan } = record.request;
    if (record.running.signal.aborted)
      return Promise.resolve(finish(record, cancelledBeforeStartResult(binding.tool.name)));
    if (plan.isQueued || record.running.started !== undefined) return runLimited(record, shown);
    const controller = new AbortController();
    const end = enter(record, shown, controller);
    if (!(end instanceof Promise)) return Promise.resolve(finishEnd(record, shown, end));
    return new Promise((resolve) => {
      race(record, controller, end, (ended) => resolve(finishEnd(record, shown, ended)));
    });
  };
  const finishEnd = (record: CallRecord, shown: ShownArguments, end: HandlerEnd): ToolResult =>
    finish(record, handlerResult(end, record.request.binding, record.request.timeoutMs), shown.validated);
  const runLimited = async (record: CallRecord, shown: ShownArguments): Promise<ToolResult> => {
    const { binding, plan, timeoutMs } = record.request;
    const { signal } = record.running;
    const { name } = binding.tool;
    const limits = limitsFor(binding, shown.validated.input, options.concurrency);
    // The key of a limit was given the arguments.
    shown.isHeld ||= typeof binding.concurrency === 'object';
    let permit: Permit | KernelError | undefined;
    let result: ToolResult;
    try {
      const work = (): Promise<ToolResult> => runWithRetries(record, shown, plan.retries);
      if (limits.length > 0) permit = await limiter.acquire(name, limits, signal, timeoutMs);
      if (permit === undefined) result = await work();
      else result = KernelError.is(permit) ? refusedResult(permit) : await permit.run(work);
    } catch (error) {
      result = failedResult(error, name);
    }
    const final = finish(record, result, shown.validated);
    if (permit !== undefined && !KernelError.is(permit)) permit.release(record.abandoned);
    return final;
  };
  const runWithRetries = async (
    record: CallRecord,
    shown: ShownArguments,
    retriesLeft: number,
    failed?: { readonly result: ToolResult; readonly retries: number },
  ): Promise<ToolResult> => {
    const { signal, started } = record.running;
    if (started !== undefined && record.forwarded?.awaitsStarted !== true) {
      await started();
      if (signal.aborted) return failed?.result ?? cancelledBeforeStartResult(record.request.binding.tool.name);
    }
    const controller = new AbortController();
    const entered = enter(record, shown, controller);
    const end =
      entered instanceof Promise
        ? await new Promise<HandlerEnd>((resolve) => race(record, controller, entered, resolve))
        : entered;
    if (end === CHANGED && failed !== undefined) return failed.result;
    const result = handlerResult(end, record.request.binding, record.request.timeoutMs);
    if (retriesLeft === 0 || result.isError !== true || !errorOf(result).retryable) return result;
    const retries = failed?.retries ?? 0;
    const waited = await retryDelay(retries, signal);
    // While an abandoned attempt still runs, no other one starts.
    if (!waited || record.abandoned !== undefined) return result;
    return runWithRetries(record, shown, retriesLeft - 1, { result, retries: retries + 1 });
  };

  /** Reports a call that cannot run, and returns its result. */
  const refuse: Calls['refuse'] = (request, result, validated, abandoned) => {
    const record = reporter.start(request, request.context, undefined);
    if (abandoned !== undefined) trackAbandoned(record, abandoned);
    return finish(record, result, validated);
  };

  const run: Calls['run'] = (request, shown, running, forwarded) => {
    const { binding } = request;
    const record = reporter.start(request, running, forwarded);
    try {
      request.onRun?.();
      return runValidated(record, shown);
    } catch (error) {
      // A signal that throws.
      return Promise.resolve(finish(record, failedResult(error, binding.tool.name)));
    }
  };

  return {
    planOf: createPlans(options),
    prepare: createPreparer({ run, refuse }),
    refuse: (name, callId, result) => reporter.refused(name, callId, result),
    abandoned: () => abandonedCount,
  };
}

/** Arguments that have changed after they were shown: nothing has run. */
const CHANGED: HandlerEnd = { kind: 'changed' };

function runForwarded(
  prepared: PreparedCall,
  { started }: RunningCall,
  { onComplete, onProgress, signal }: ToolContext,
): Promise<ToolResult> {
  return prepared.run({
    signal,
    onProgress,
    onComplete,
    started: prepared.awaitsStarted === true ? started : undefined,
  });
}
