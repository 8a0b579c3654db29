import { type CallContext, KernelError, type ToolResult, isToolResult } from '@kernel/protocol';
import type { RawArguments } from '../arguments/parse.ts';
import { type ReadArguments, readArguments } from '../arguments/read.ts';
import type { RepairPolicy, ToolBinding, UnknownProperties } from '../binding.ts';
import type { EventSource } from '../registry/events.ts';
import { backoff } from './backoff.ts';
import { type CompletionDesk, createCompletion } from './completion.ts';
import { createLife } from './context.ts';
import { createGate } from './gate.ts';
import { asInput } from '../boundary.ts';
import { cancelled, errorOf, failure, refusal, toOutcome } from './outcome.ts';
import { redact } from './safe-text.ts';
import { type Settled, settle } from './settle.ts';
import { slotsOf } from './slots.ts';

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
  /** How many handlers were left behind and still run. */
  readonly abandoned: number;
}

/** Creates the runner of a registry: read, wait for a place, run within the clocks, and tell. */
export function createRunner(options: RunnerOptions): Runner {
  const { events } = options;
  const gate = createGate();
  let abandoned = 0;

  const begin = (request: CallRequest): CompletionDesk => {
    const { binding, id } = request;
    const { name } = binding.tool;
    if (events.hearsCalls) {
      events.emit({
        type: 'call-start',
        name,
        callId: id,
        ...(options.detail ? { arguments: request.arguments } : {}),
      });
    }
    return createCompletion(name, id, request.context, events, options.detail);
  };

  const attempt = async (request: CallRequest, input: unknown, desk: CompletionDesk): Promise<Settled> => {
    const { binding, context, id } = request;
    const { name } = binding.tool;
    const life = createLife(id, name, context, {
      onProgress(update) {
        if (events.hearsCalls) events.emit({ type: 'call-progress', name, callId: id, update });
        tellQuietly(() => context.onProgress?.(update));
      },
      onComplete: (result) => desk.complete(result),
    });
    try {
      const returned = binding.handler(asInput(input), life.context);
      if (!isThenable(returned)) return { kind: 'value', value: returned };
      return await settle(Promise.resolve(returned), {
        signal: context.signal,
        timeoutMs: timeoutOf(request),
        stop: (reason) => life.stop(reason),
        onAbandoned(end) {
          abandoned += 1;
          const back = (failed: boolean): void => {
            abandoned -= 1;
            desk.late('abandoned', failed);
          };
          void end.then(({ failed }) => back(failed));
        },
      });
    } catch (error) {
      return { kind: 'error', error };
    } finally {
      life.end();
    }
  };

  const timeoutOf = (request: CallRequest): number =>
    request.timeoutMs ?? request.binding.timeoutMs ?? options.timeoutMs;

  const withRetries = async (request: CallRequest, input: unknown, desk: CompletionDesk): Promise<ToolResult> => {
    const { binding, context } = request;
    const repeatable = binding.tool.effect === 'read' || binding.tool.effect === 'idempotent';
    const retries = repeatable ? (binding.retries ?? options.retries) : 0;
    // Tries follow one another by their nature.
    /* oxlint-disable no-await-in-loop */
    for (let tries = 0; ; tries += 1) {
      const result = toOutcome(await attempt(request, input, desk), binding, timeoutOf(request));
      if (tries >= retries || result.isError !== true || !errorOf(result).retryable) return result;
      if (!(await backoff(tries, context.signal))) return result;
    }
    /* oxlint-enable no-await-in-loop */
  };

  const gated = async (request: CallRequest, input: unknown, desk: CompletionDesk): Promise<ToolResult> => {
    const slots = slotsOf(request.binding, input, options.concurrency);
    if (slots.length === 0) return withRetries(request, input, desk);
    const entered = gate.enter(slots, request.context.signal);
    const leave = typeof entered === 'function' ? entered : await entered;
    if (leave === undefined) return cancelled(request.binding.tool.name, 'never-started');
    try {
      return await withRetries(request, input, desk);
    } finally {
      leave();
    }
  };

  /** Waits for an asynchronous schema within the same clock as the handler. */
  const readWithin = async (request: CallRequest, reading: Promise<ReadArguments>): Promise<ReadArguments> => {
    let read: ReadArguments | undefined;
    const timeoutMs = timeoutOf(request);
    const settled = await settle(
      reading.then((value) => (read = value)),
      { signal: request.context.signal, timeoutMs, stop: ignore, onAbandoned: ignore },
    );
    if (read !== undefined && settled.kind === 'value') return read;
    const { name } = request.binding.tool;
    const error =
      settled.kind === 'aborted'
        ? new KernelError('TOOL_CANCELLED', `"${name}" was cancelled before it started.`, { data: { tool: name } })
        : new KernelError('TOOL_TIMEOUT', `the arguments of "${name}" were not checked within ${timeoutMs} ms.`, {
            retryable: true,
          });
    return { error, repairs: [], notes: [] };
  };

  const work = async (request: CallRequest, desk: CompletionDesk): Promise<ToolResult> => {
    const { binding, context } = request;
    if (context.signal.aborted) return cancelled(binding.tool.name, 'never-started');
    const reading = readArguments(binding, request.arguments, {
      repair: binding.repair ?? options.repair,
      unknownProperties: binding.unknownProperties ?? options.unknownProperties,
    });
    const read = reading instanceof Promise ? await readWithin(request, reading) : reading;
    const result = read.error === undefined ? await gated(request, read.input, desk) : refusal(read.error);
    return annotate(result, read);
  };

  const finish = (request: CallRequest, result: ToolResult, desk: CompletionDesk): ToolResult => {
    const limited = options.limit(result, request.binding);
    const final =
      options.secrets.length === 0 ? limited : { ...limited, forLLM: redact(limited.forLLM, options.secrets) };
    desk.end(final);
    return final;
  };

  return {
    async run(request) {
      const desk = begin(request);
      try {
        return finish(request, await work(request, desk), desk);
      } catch (error) {
        // Nothing above throws; should it, the caller still gets its one result.
        return finish(request, failure(error, request.binding.tool.name), desk);
      }
    },
    get abandoned() {
      return abandoned;
    },
  };
}

function annotate(result: ToolResult, read: ReadArguments): ToolResult {
  if (read.repairs.length === 0 && read.notes.length === 0) return result;
  const forLLM = read.notes.length === 0 ? result.forLLM : `${result.forLLM}\n(${read.notes.join(' ')})`;
  return { ...result, forLLM, ...(read.repairs.length === 0 ? {} : { repairs: read.repairs }) };
}

/** A caller's callback that throws harms nobody. */
function tellQuietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // The caller's own fault, in the caller's own code; the call goes on.
  }
}

function ignore(): void {}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isToolResult(value) &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
