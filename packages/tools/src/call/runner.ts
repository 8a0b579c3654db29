import { changedCallError, KernelError, type ToolResult, type ValidatedCall, isToolResult } from '@kernel/protocol';
import { annotateResult, type ValidatedArguments, validateArguments } from '@kernel/schema';
import { asDeclared } from '../unsafe-casts.ts';
import { approvedArguments, createValidatedCall } from './approved-calls.ts';
import { adoptThenable, isNativePromise, isThenable } from './adopt-thenable.ts';
import { isAsyncGenerator, runGenerator } from './async-generator.ts';
import { type CallPlan, createPlans } from './call-plan.ts';
import { type CallRecord, createCallReporter } from './call-reporter.ts';
import { cancelledBeforeStart, createConcurrencyLimiter, limitsFor, type Permit } from './concurrency.ts';
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
import type { CallRequest, Runner, RunnerOptions } from './types.ts';

/** Creates the runner of a registry: validate the arguments, wait for a permit, run the handler, report. The common case creates one promise. */
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

  const startCall = (request: CallRequest): CallRecord => reporter.start(request, planOf(request.binding));

  const attempt = (record: CallRecord, input: unknown, onEnd: (end: HandlerEnd) => void): void => {
    const { binding, context, id } = record.request;
    const controller = new AbortController();
    const callbacks = {
      onProgress: (update: string) => reporter.progress(record, update),
      onComplete: (result: ToolResult) => reporter.complete(record, result),
    };
    let returned: unknown;
    let work: Promise<unknown> | undefined;
    try {
      const toolContext = createToolContext(id, binding.tool.name, context, controller.signal, callbacks);
      returned = binding.handler(asDeclared(input), asDeclared(toolContext));
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
      signal: context.signal,
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

  const runValidated = (record: CallRecord, validated: ValidatedArguments): Promise<ToolResult> => {
    if (validated.error !== undefined)
      return Promise.resolve(finish(record, refusedResult(validated.error), validated));
    const { plan, request } = record;
    if (plan.isLimited || plan.retries > 0 || request.context.beforeHandler !== undefined)
      return runLimited(record, validated);
    return new Promise((resolve) => {
      attempt(record, validated.input, (end) =>
        resolve(finish(record, handlerResult(end, record.request.binding, record.timeoutMs), validated)),
      );
    });
  };
  const runLimited = async (record: CallRecord, validated: ValidatedArguments): Promise<ToolResult> => {
    const { binding, context } = record.request;
    const { name } = binding.tool;
    const limits = limitsFor(binding, validated.input, options.concurrency);
    let permit: Permit | KernelError | undefined;
    let result: ToolResult;
    try {
      const work = (): Promise<ToolResult> => runWithRetries(record, validated.input, record.plan.retries);
      if (limits.length > 0) permit = await limiter.acquire(name, limits, context.signal, record.timeoutMs);
      if (permit === undefined) result = await work();
      else result = KernelError.is(permit) ? refusedResult(permit) : await permit.run(work);
    } catch (error) {
      result = failedResult(error, name);
    }
    const final = finish(record, result, validated);
    if (permit !== undefined && !KernelError.is(permit)) permit.release(record.abandoned);
    return final;
  };
  const runWithRetries = async (
    record: CallRecord,
    input: unknown,
    retriesLeft: number,
    failed?: { readonly result: ToolResult; readonly retries: number },
  ): Promise<ToolResult> => {
    const { beforeHandler, signal } = record.request.context;
    if (beforeHandler !== undefined) {
      await beforeHandler();
      if (signal.aborted) return failed?.result ?? cancelledBeforeStartResult(record.request.binding.tool.name);
    }
    const end = await new Promise<HandlerEnd>((resolve) => {
      attempt(record, input, resolve);
    });
    const result = handlerResult(end, record.request.binding, record.timeoutMs);
    if (retriesLeft === 0 || result.isError !== true || !errorOf(result).retryable) return result;
    const retries = failed?.retries ?? 0;
    const waited = await retryDelay(retries, signal);
    // While an abandoned attempt still runs, no other one starts.
    if (!waited || record.abandoned !== undefined) return result;
    return runWithRetries(record, input, retriesLeft - 1, { result, retries: retries + 1 });
  };

  /** Waits for an asynchronous schema library, with the same timeout as the handler. */
  const awaitValidation = (
    request: CallRequest,
    validating: Promise<ValidatedArguments>,
    onAbandoned: (settled: Promise<{ readonly failed: boolean }>) => void,
  ): Promise<ValidatedArguments> => {
    const { binding, context } = request;
    const timeoutMs = request.timeoutMs ?? planOf(binding).timeoutMs;
    return new Promise((resolve) => {
      raceHandler(
        validating.then((validated) => resolve(validated)),
        {
          signal: context.signal,
          timeoutMs,
          stop: ignore,
          onEnd(end) {
            if (end.kind === 'value') return; // resolved above
            resolve({ error: validationError(end, binding.tool.name, timeoutMs), repairs: [], notes: [] });
          },
          onAbandoned,
        },
      );
    });
  };

  /** Runs exactly what was approved. */
  const runApproved = (record: CallRecord, approved: ValidatedCall): Promise<ToolResult> => {
    const { binding, arguments: text } = record.request;
    const validated = approved.isCurrent() ? approvedArguments(approved, binding, text) : undefined;
    if (validated !== undefined) return runValidated(record, validated);
    return Promise.resolve(finish(record, refusedResult(changedCallError(binding.tool.name))));
  };
  const validateOnly = async (request: CallRequest): Promise<ValidatedArguments> => {
    const validating = validate(request, planOf(request.binding));
    return validating instanceof Promise ? awaitValidation(request, validating, ignore) : validating;
  };

  /** Ends a call whose signal or schema library throws. */
  const failed = (record: CallRecord, error: unknown): Promise<ToolResult> =>
    Promise.resolve(finish(record, failedResult(error, record.request.binding.tool.name)));
  const start = (record: CallRecord): Promise<ToolResult> => {
    const { request } = record;
    const { binding, context } = request;
    if (context.signal.aborted) return Promise.resolve(finish(record, cancelledBeforeStartResult(binding.tool.name)));
    if (context.approved !== undefined) return runApproved(record, context.approved);
    const validating = validate(request, record.plan);
    if (!(validating instanceof Promise)) return runValidated(record, validating);
    const onAbandoned = (settled: Promise<{ readonly failed: boolean }>): void => trackAbandoned(record, settled);
    return awaitValidation(request, validating, onAbandoned)
      .then((validated) =>
        context.signal.aborted && validated.error === undefined
          ? finish(record, cancelledBeforeStartResult(binding.tool.name))
          : runValidated(record, validated),
      )
      .catch((error: unknown) => failed(record, error));
  };

  return {
    run(request) {
      const record = startCall(request);
      try {
        return start(record);
      } catch (error) {
        return failed(record, error);
      }
    },
    async validate(request, isCurrent) {
      const { binding, arguments: text, context } = request;
      if (context.signal.aborted) return cancelledBeforeStartResult(binding.tool.name);
      const validated = await validateOnly(request);
      if (validated.error !== undefined) return finish(startCall(request), refusedResult(validated.error), validated);
      const forwarded = await binding.input.forward?.(request.id, String(validated.input), context);
      if (forwarded !== undefined && 'forLLM' in forwarded) return forwarded;
      return createValidatedCall(binding, text, validated, isCurrent, forwarded);
    },
    refuse: (name, callId, result) => reporter.refused(name, callId, result),
    abandoned: () => abandonedCount,
  };
}

function validate(
  { binding, arguments: raw }: CallRequest,
  { policy }: CallPlan,
): ValidatedArguments | Promise<ValidatedArguments> {
  return binding.input.foreign?.(raw, policy.repair) ?? validateArguments(binding, raw, policy);
}

function validationError(end: HandlerEnd, toolName: string, timeoutMs: number): KernelError {
  if (end.kind === 'aborted') return cancelledBeforeStart(toolName);
  const message = `the arguments of "${toolName}" could not be validated within ${timeoutMs} ms.`;
  return new KernelError('TOOL_TIMEOUT', message, { retryable: true });
}

function ignore(): void {}
