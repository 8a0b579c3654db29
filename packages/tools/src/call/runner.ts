import {
  KernelError,
  isToolResult,
  type PreparedCall,
  type RunningCall,
  type ToolContext,
  type ToolResult,
} from '@kernel/protocol';
import { annotateResult, type ValidatedArguments } from '@kernel/schema';
import { asDeclared } from '../unsafe-casts.ts';
import { adoptThenable, isNativePromise, isThenable } from './adopt-thenable.ts';
import { isAsyncGenerator, runGenerator } from './async-generator.ts';
import { createPlans } from './call-plan.ts';
import { type Calls, changedInputResult, createPreparer, type ShownArguments, takeInput } from './prepare-calls.ts';
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
  const planOf = createPlans(options);
  /** Redacts before it shortens: the part of a secret that a cut leaves would not be found. Never throws. */
  const finalizeResult = (result: ToolResult, { plan, request: { binding } }: CallRecord): ToolResult => {
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

  const attempt = (record: CallRecord, input: unknown, onEnd: (end: HandlerEnd) => void): void => {
    const { binding, context, id } = record.request;
    const { signal } = record.running;
    const controller = new AbortController();
    const callbacks = {
      onProgress: (update: string) => reporter.progress(record, update),
      onComplete: (result: ToolResult) => reporter.complete(record, result),
    };
    let returned: unknown;
    let work: Promise<unknown> | undefined;
    try {
      const toolContext = createToolContext(id, binding.tool.name, context, controller.signal, callbacks);
      returned =
        record.forwarded === undefined
          ? binding.handler(asDeclared(input), asDeclared(toolContext))
          : runForwarded(record.forwarded, record.running, toolContext);
    } catch (error) {
      return onEnd({ kind: 'error', error });
    }
    try {
      if (isNativePromise(returned)) work = returned;
      else if (isAsyncGenerator(returned)) work = runGenerator(returned, controller.signal, callbacks.onProgress);
      else if (isThenable(returned) && !isToolResult(returned)) work = adoptThenable(returned);
    } catch (error) {
      return onEnd({ kind: 'unread', error });
    }
    if (work === undefined) return onEnd({ kind: 'value', value: returned });
    raceHandler(work, {
      signal,
      timeoutMs: record.timeoutMs,
      stop: (reason) => controller.abort(reason),
      onEnd,
      onAbandoned: (settled) => trackAbandoned(record, settled),
    });
  };
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
    const { binding } = record.request;
    if (record.running.signal.aborted)
      return Promise.resolve(finish(record, cancelledBeforeStartResult(binding.tool.name)));
    const { plan } = record;
    if (plan.isLimited || plan.retries > 0 || record.running.started !== undefined) return runLimited(record, shown);
    const given = inputFor(record, shown);
    if (given === undefined) return Promise.resolve(finish(record, changedInputResult(binding.tool.name)));
    return new Promise((resolve) => {
      attempt(record, given.input, (end) =>
        resolve(finish(record, handlerResult(end, binding, record.timeoutMs), shown.validated)),
      );
    });
  };
  const runLimited = async (record: CallRecord, shown: ShownArguments): Promise<ToolResult> => {
    const { binding } = record.request;
    const { signal } = record.running;
    const { name } = binding.tool;
    const limits = limitsFor(binding, shown.validated.input, options.concurrency);
    // The key of a limit was given the arguments.
    shown.isHeld ||= typeof binding.concurrency === 'object';
    let permit: Permit | KernelError | undefined;
    let result: ToolResult;
    try {
      const work = (): Promise<ToolResult> => runWithRetries(record, shown, record.plan.retries);
      if (limits.length > 0) permit = await limiter.acquire(name, limits, signal, record.timeoutMs);
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
    const given = inputFor(record, shown);
    if (given === undefined) return failed?.result ?? changedInputResult(record.request.binding.tool.name);
    const end = await new Promise<HandlerEnd>((resolve) => {
      attempt(record, given.input, resolve);
    });
    const result = handlerResult(end, record.request.binding, record.timeoutMs);
    if (retriesLeft === 0 || result.isError !== true || !errorOf(result).retryable) return result;
    const retries = failed?.retries ?? 0;
    const waited = await retryDelay(retries, signal);
    // While an abandoned attempt still runs, no other one starts.
    if (!waited || record.abandoned !== undefined) return result;
    return runWithRetries(record, shown, retriesLeft - 1, { result, retries: retries + 1 });
  };

  /** Reports a call that cannot run, and returns its result. */
  const refuse: Calls['refuse'] = (request, result, validated, abandoned) => {
    const record = reporter.start(request, planOf(request.binding), request.context, undefined);
    if (abandoned !== undefined) trackAbandoned(record, abandoned);
    return finish(record, result, validated);
  };

  const run: Calls['run'] = (request, shown, running, forwarded) => {
    const { binding } = request;
    const record = reporter.start(request, planOf(binding), running, forwarded);
    try {
      request.onRun?.();
      return runValidated(record, shown);
    } catch (error) {
      // A signal that throws.
      return Promise.resolve(finish(record, failedResult(error, binding.tool.name)));
    }
  };

  return {
    prepare: createPreparer({ planOf, run, refuse }),
    refuse: (name, callId, result) => reporter.refused(name, callId, result),
    abandoned: () => abandonedCount,
  };
}

/** What the handler gets; what runs as the call of a mounted toolset has its arguments there. */
function inputFor({ forwarded, request }: CallRecord, shown: ShownArguments): ReturnType<typeof takeInput> {
  return forwarded === undefined ? takeInput(request.binding, shown) : shown.validated;
}

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
