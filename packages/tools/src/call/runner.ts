import { type CallContext, KernelError, type ToolResult, isToolResult } from '@kernel/protocol';
import type { RawArguments } from '../arguments/parse.ts';
import { type ReadArguments, type ReadPolicy, readArguments } from '../arguments/validate.ts';
import type { RepairPolicy, ToolBinding, UnknownProperties } from '../tool/binding.ts';
import { asInput } from '../unsafe-casts.ts';
import type { EventSource } from '../registry/events.ts';
import { backoff } from './backoff.ts';
import { createContext } from './tool-context.ts';
import { type CallRecord, createDesk } from './call-events.ts';
import type { Slot } from './semaphore.ts';
import { cancelled, errorOf, failure, refusal, toOutcome } from './result.ts';
import { createPlaces } from './concurrency.ts';
import { createRedactor } from './redact-result.ts';
import { type Settled, settle } from './race-handler.ts';

/** What all calls of a registry have in common. */
export interface RunnerOptions {
  readonly timeoutMs: number;
  readonly repair: RepairPolicy;
  readonly unknownProperties: UnknownProperties;
  readonly concurrency: number;
  readonly retries: number;
  readonly secrets: readonly string[];
  /** Whether events carry arguments and results. */
  readonly detail: boolean;
  readonly events: EventSource;
  /** Cuts a result to what the model gets. */
  readonly limit: (result: ToolResult, binding: ToolBinding) => ToolResult;
}

/** One call as it came in. */
export interface CallRequest {
  readonly id: string;
  readonly binding: ToolBinding;
  readonly arguments: RawArguments;
  readonly context: CallContext;
  readonly timeoutMs?: number | undefined;
}

/** Runs calls. */
export interface Runner {
  /** Runs one call to its one result. Never rejects. */
  run(request: CallRequest): Promise<ToolResult>;
  /** Tells of a call that nothing was found to run for. */
  refuse(name: string, callId: string, result: ToolResult): ToolResult;
  /** How many handlers were left behind and still run. */
  readonly abandoned: number;
}

/** Creates the runner of a registry: read, wait for a place, run within the clocks, and tell. The plain case makes one promise. */
export function createRunner(options: RunnerOptions): Runner {
  const redactor = createRedactor(options.secrets);
  /** Takes secrets out of a result, whole, and cuts it to what the model gets. */
  const polish = (result: ToolResult, binding: ToolBinding): ToolResult =>
    options.limit(redactor === undefined ? result : redactor.result(result), binding);
  const desk = createDesk(options.events, options.detail, polish, redactor);
  const places = createPlaces(options.concurrency);
  let abandoned = 0;

  const timeoutOf = (request: CallRequest): number =>
    request.timeoutMs ?? request.binding.timeoutMs ?? options.timeoutMs;

  const policyOf = (binding: ToolBinding): ReadPolicy => {
    const { repair = options.repair, unknownProperties = options.unknownProperties } = binding;
    const common = repair === options.repair && unknownProperties === options.unknownProperties;
    return common ? options : { repair, unknownProperties };
  };

  const attempt = (record: CallRecord, input: unknown, onSettled: (settled: Settled) => void): void => {
    const { binding, context, id } = record.request;
    const own = new AbortController();
    let returned: unknown;
    try {
      const hooks = {
        onProgress: (update: string) => desk.progress(record, update),
        onComplete: (result: ToolResult) => desk.complete(record, result),
      };
      returned = binding.handler(asInput(input), createContext(id, binding.tool.name, context, own.signal, hooks));
      if (isThenable(returned)) returned = Promise.resolve(returned);
    } catch (error) {
      return onSettled({ kind: 'error', error });
    }
    if (!(returned instanceof Promise)) return onSettled({ kind: 'value', value: returned });
    settle(returned, {
      signal: context.signal,
      timeoutMs: timeoutOf(record.request),
      stop: (reason) => own.abort(reason),
      onSettled,
      onAbandoned: (end) => follow(record, end),
    });
  };
  const follow = (record: CallRecord, end: Promise<{ readonly failed: boolean }>): void => {
    abandoned += 1;
    record.left = end;
    const back = (failed: boolean): void => {
      abandoned -= 1;
      record.left = undefined;
      desk.late(record, 'abandoned', failed);
    };
    void end.then(({ failed }) => back(failed));
  };

  const finish = (record: CallRecord, result: ToolResult, read?: ReadArguments): ToolResult => {
    const final = polish(read === undefined ? result : annotate(result, read), record.request.binding);
    desk.end(record, final);
    return final;
  };
  const outcome = (record: CallRecord, settled: Settled): ToolResult => {
    const { request } = record;
    try {
      return toOutcome(settled, request.binding, timeoutOf(request));
    } catch (error) {
      return failure(error, request.binding.tool.name); // a result whose own getters throw
    }
  };

  const proceed = (record: CallRecord, read: ReadArguments): Promise<ToolResult> => {
    if (read.error !== undefined) return Promise.resolve(finish(record, refusal(read.error), read));
    const { binding } = record.request;
    const slots = places.slotsOf(record.request, read.input);
    const repeatable = binding.tool.effect === 'read' || binding.tool.effect === 'idempotent';
    const retries = repeatable ? (binding.retries ?? options.retries) : 0;
    if (slots.length > 0 || retries > 0) return careful(record, read, slots, retries);
    return new Promise((resolve) => {
      attempt(record, read.input, (settled) => resolve(finish(record, outcome(record, settled), read)));
    });
  };
  /** The way with a wait for a place and more than one try. */
  const careful = async (
    record: CallRecord,
    read: ReadArguments,
    slots: readonly Slot[],
    retries: number,
  ): Promise<ToolResult> => {
    const { request } = record;
    const place = slots.length === 0 ? undefined : await places.enter(request, slots, timeoutOf(request));
    if (KernelError.is(place)) return finish(record, refusal(place), read);
    try {
      const work = (): Promise<ToolResult> => tries(record, read.input, retries);
      return finish(record, await (place === undefined ? work() : place.within(work)), read);
    } finally {
      place?.leave(record.left);
    }
  };
  const tries = async (record: CallRecord, input: unknown, left: number, tried = 0): Promise<ToolResult> => {
    const settled = await new Promise<Settled>((resolve) => {
      attempt(record, input, resolve);
    });
    const result = outcome(record, settled);
    if (left === 0 || result.isError !== true || !errorOf(result).retryable) return result;
    const goOn = await backoff(tried, record.request.context.signal);
    // An attempt that was left behind and still runs is not joined by another.
    return goOn && record.left === undefined ? tries(record, input, left - 1, tried + 1) : result;
  };

  return {
    run(request) {
      const record = desk.begin(request);
      const { binding, context } = request;
      if (context.signal.aborted) return Promise.resolve(finish(record, cancelled(binding.tool.name, 'never-started')));
      const reading = readArguments(binding, request.arguments, policyOf(binding));
      if (!(reading instanceof Promise)) return proceed(record, reading);
      return readWithin(request, reading, timeoutOf(request), (end) => follow(record, end)).then((read) =>
        proceed(record, read),
      );
    },
    refuse: (name, callId, result) => desk.refused(name, callId, result),
    get abandoned() {
      return abandoned;
    },
  };
}

/** Waits for an asynchronous schema within the same clock as the handler. */
function readWithin(
  request: CallRequest,
  reading: Promise<ReadArguments>,
  timeoutMs: number,
  onAbandoned: (end: Promise<{ readonly failed: boolean }>) => void,
): Promise<ReadArguments> {
  const { name } = request.binding.tool;
  return new Promise((resolve) => {
    const refuse = (settled: Settled): void => {
      const error =
        settled.kind === 'aborted'
          ? new KernelError('TOOL_CANCELLED', `"${name}" was cancelled before it started.`, { data: { tool: name } })
          : new KernelError('TOOL_TIMEOUT', `the arguments of "${name}" were not checked within ${timeoutMs} ms.`, {
              retryable: true,
            });
      resolve({ error, repairs: [], notes: [] });
    };
    const checked = reading.then((read) => resolve(read));
    settle(checked, {
      signal: request.context.signal,
      timeoutMs,
      stop: ignore,
      onSettled: refuse,
      onAbandoned,
    });
  });
}

function annotate(result: ToolResult, read: ReadArguments): ToolResult {
  if (read.repairs.length === 0 && read.notes.length === 0) return result;
  const forLLM = read.notes.length === 0 ? result.forLLM : `${result.forLLM}\n(${read.notes.join(' ')})`;
  return { ...result, forLLM, ...(read.repairs.length === 0 ? {} : { repairs: read.repairs }) };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof Promise || isToolResult(value)) return false;
  return 'then' in value && typeof value.then === 'function';
}

function ignore(): void {}
