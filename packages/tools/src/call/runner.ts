import {
  KernelError,
  isToolResult,
  type PreparedCall,
  type RunningCall,
  type ToolContext,
  type ToolResult,
} from '@kernel/protocol';
import { annotateResult, type ValidatedArguments, validateArguments } from '@kernel/schema';
import { asDeclared } from '../unsafe-casts.ts';
import { adoptThenable, isNativePromise, isThenable } from './adopt-thenable.ts';
import { isAsyncGenerator, runGenerator } from './async-generator.ts';
import { createPlans } from './call-plan.ts';
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

  const runValidated = (record: CallRecord, validated: ValidatedArguments): Promise<ToolResult> => {
    const { binding } = record.request;
    if (record.running.signal.aborted)
      return Promise.resolve(finish(record, cancelledBeforeStartResult(binding.tool.name)));
    const { plan } = record;
    if (plan.isLimited || plan.retries > 0 || record.running.started !== undefined)
      return runLimited(record, validated);
    return new Promise((resolve) => {
      attempt(record, validated.input, (end) =>
        resolve(finish(record, handlerResult(end, binding, record.timeoutMs), validated)),
      );
    });
  };
  const runLimited = async (record: CallRecord, validated: ValidatedArguments): Promise<ToolResult> => {
    const { binding } = record.request;
    const { signal } = record.running;
    const { name } = binding.tool;
    const limits = limitsFor(binding, validated.input, options.concurrency);
    let permit: Permit | KernelError | undefined;
    let result: ToolResult;
    try {
      const work = (): Promise<ToolResult> => runWithRetries(record, validated.input, record.plan.retries);
      if (limits.length > 0) permit = await limiter.acquire(name, limits, signal, record.timeoutMs);
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
    const { signal, started } = record.running;
    if (started !== undefined && record.forwarded?.awaitsStarted !== true) {
      await started();
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
    { binding, context, timeoutMs: ownMs }: CallRequest,
    validating: Promise<ValidatedArguments>,
    onAbandoned: (settled: Promise<{ readonly failed: boolean }>) => void,
  ): Promise<ValidatedArguments> => {
    const timeoutMs = ownMs ?? planOf(binding).timeoutMs;
    return new Promise((resolve) => {
      raceHandler(validating, {
        signal: context.signal,
        timeoutMs,
        stop: ignore,
        onEnd(end) {
          resolve(
            end.kind === 'value'
              ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `validating` resolves to
                (end.value as ValidatedArguments)
              : { error: validationError(end, binding.tool.name, timeoutMs), repairs: [], notes: [] },
          );
        },
        onAbandoned,
      });
    });
  };

  /** Reports a call that cannot run, and returns its result. */
  const refuse = (
    request: CallRequest,
    result: ToolResult,
    validated?: ValidatedArguments,
    abandoned?: Promise<{ readonly failed: boolean }>,
  ): ToolResult => {
    const record = reporter.start(request, planOf(request.binding), request.context, undefined);
    if (abandoned !== undefined) trackAbandoned(record, abandoned);
    return finish(record, result, validated);
  };

  /** The call as it is shown and runs, by the handler or as the call of a mounted toolset. */
  const toPrepared = (
    request: CallRequest,
    validated: ValidatedArguments,
    needsApproval: boolean | undefined,
    forwarded?: PreparedCall,
  ): PreparedCall => {
    const { binding } = request;
    return {
      tool: forwarded?.tool ?? binding.tool,
      arguments:
        forwarded?.arguments ??
        (binding.input.parse === undefined ? (JSON.stringify(validated.input) ?? 'null') : toText(validated.input)),
      needsApproval,
      runsAgent: forwarded === undefined ? binding.runsAgent : forwarded.runsAgent,
      awaitsStarted: true,
      run(running) {
        const record = reporter.start(request, planOf(binding), running, forwarded);
        try {
          request.onRun?.();
          return runValidated(record, validated);
        } catch (error) {
          // A signal that throws.
          return Promise.resolve(finish(record, failedResult(error, binding.tool.name)));
        }
      },
    };
  };

  const ready = (request: CallRequest, validated: ValidatedArguments): PreparedCall | ToolResult =>
    validated.error === undefined
      ? toPrepared(request, validated, undefined)
      : refuse(request, refusedResult(validated.error), validated);

  /** Asks the library of a tool whether somebody must allow a call of it. */
  const readyIfAllowed = async (
    request: CallRequest,
    validated: ValidatedArguments,
  ): Promise<PreparedCall | ToolResult> => {
    const { binding, context, id } = request;
    if (validated.error !== undefined) return ready(request, validated);
    const callbacks = { onProgress: ignore, onComplete: ignore };
    const toolContext = createToolContext(id, binding.tool.name, context, context.signal, callbacks);
    try {
      const isNeeded = await binding.input.needsApproval?.(asDeclared(validated.input), toolContext);
      return toPrepared(request, validated, isNeeded === true ? true : undefined);
    } catch (error) {
      return failed(request, error);
    }
  };

  /** The call of a mounted toolset, as it runs here. */
  const readyForwarded = (request: CallRequest, forwarded: PreparedCall | ToolResult): PreparedCall | ToolResult =>
    isToolResult(forwarded)
      ? refuse(request, forwarded)
      : toPrepared(request, NO_ARGUMENTS, forwarded.needsApproval, forwarded);

  /** The result of a call whose signal, schema library or check throws. */
  const failed = (request: CallRequest, error: unknown): ToolResult =>
    refuse(request, failedResult(error, request.binding.tool.name));
  return {
    prepare(request) {
      try {
        const { arguments: raw, binding, context, id } = request;
        if (context.signal.aborted) return refuse(request, cancelledBeforeStartResult(binding.tool.name));
        if (binding.input.forward !== undefined) {
          const forwarded = binding.input.forward(id, toText(raw ?? {}), context);
          return forwarded instanceof Promise
            ? forwarded.then((each) => readyForwarded(request, each)).catch((error: unknown) => failed(request, error))
            : readyForwarded(request, forwarded);
        }
        const validating = validateArguments(binding, raw, planOf(binding).policy);
        const finishPreparing = binding.input.needsApproval === undefined ? ready : readyIfAllowed;
        if (!(validating instanceof Promise)) return finishPreparing(request, validating);
        let abandoned: Promise<{ readonly failed: boolean }> | undefined;
        const onAbandoned = (settled: typeof abandoned): void => void (abandoned = settled);
        return awaitValidation(request, validating, onAbandoned)
          .then((validated) => {
            if (abandoned !== undefined && validated.error !== undefined)
              return refuse(request, refusedResult(validated.error), validated, abandoned);
            return context.signal.aborted && validated.error === undefined
              ? refuse(request, cancelledBeforeStartResult(binding.tool.name))
              : finishPreparing(request, validated);
          })
          .catch((error: unknown) => failed(request, error));
      } catch (error) {
        return failed(request, error);
      }
    },
    refuse: (name, callId, result) => reporter.refused(name, callId, result),
    abandoned: () => abandonedCount,
  };
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

/** The JSON text of what a handler gets. What JSON does not have, a schema library can have made: it is shown as what is nearest to it. */
function toText(input: unknown): string {
  if (typeof input === 'string') return input;
  try {
    return JSON.stringify(input, nearestJson) ?? 'null';
  } catch {
    return '"[arguments that JSON cannot represent]"';
  }
}

function nearestJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}

/** What a handler of a mounted toolset gets: that toolset has its arguments. */
const NO_ARGUMENTS: ValidatedArguments = { repairs: [], notes: [] };

function validationError(end: HandlerEnd, toolName: string, timeoutMs: number): KernelError {
  if (end.kind === 'aborted') return cancelledBeforeStart(toolName);
  const message = `the arguments of "${toolName}" could not be validated within ${timeoutMs} ms.`;
  return new KernelError('TOOL_TIMEOUT', message, { retryable: true });
}

function ignore(): void {}
