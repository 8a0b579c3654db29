import { isToolResult, KernelError, type PreparedCall, type RunningCall, type ToolResult } from '@kernel/protocol';
import { type ValidatedArguments, validateArguments } from '@kernel/schema';
import type { ToolBinding } from '../tool/binding.ts';
import { asDeclared } from '../unsafe-casts.ts';
import { cancelledBeforeStart } from './concurrency.ts';
import { isToldByJson } from './json-value.ts';
import { type HandlerEnd, raceHandler } from './race-handler.ts';
import { cancelledBeforeStartResult, failedResult, refusedResult } from './result.ts';
import { createToolContext } from './tool-context.ts';
import type { CallRequest, Runner } from './types.ts';

/** What becomes of the calls of a registry. */
export interface Calls {
  /** Runs a call with the arguments that were shown, or as the call of a mounted toolset. */
  readonly run: (
    request: CallRequest,
    shown: ShownArguments,
    running: RunningCall,
    forwarded?: PreparedCall,
  ) => Promise<ToolResult>;
  /** Reports a call that cannot run, and returns its result. `abandoned` settles with a validation that still runs. */
  readonly refuse: (
    request: CallRequest,
    result: ToolResult,
    validated?: ValidatedArguments,
    abandoned?: Promise<{ readonly failed: boolean }>,
  ) => ToolResult;
}

/** The arguments of a prepared call, and what was shown of them. */
export interface ShownArguments {
  readonly validated: ValidatedArguments;
  /** The JSON text of the arguments as they were then. */
  readonly text: string;
  /** Whether a schema library, a check, the key of a limit or a handler holds the arguments, and may change them. */
  isHeld: boolean;
}

/** Creates what prepares the calls of a registry: validates their arguments, or has a mounted toolset prepare them. */
export function createPreparer({ refuse, run }: Calls): Runner['prepare'] {
  /** The call as it is shown and as its handler runs it. */
  const ready = (
    request: CallRequest,
    validated: ValidatedArguments,
    needsApproval?: boolean,
  ): PreparedCall | ToolResult => {
    if (validated.error !== undefined) return refuse(request, refusedResult(validated.error), validated);
    const { input, runsAgent, tool } = request.binding;
    const { needsApproval: check, parse } = input;
    const text = parse === undefined ? (JSON.stringify(validated.input) ?? 'null') : toText(validated.input);
    const shown = { validated, text, isHeld: parse !== undefined || check !== undefined };
    return {
      tool,
      arguments: parse === undefined || isToldByJson(validated.input) ? text : toText(validated.json),
      needsApproval,
      runsAgent,
      awaitsStarted: true,
      run: (running) => run(request, shown, running),
    };
  };

  /** Asks the library of a tool whether somebody must allow a call of it. */
  const readyIfAllowed = async (
    request: CallRequest,
    validated: ValidatedArguments,
  ): Promise<PreparedCall | ToolResult> => {
    const { binding, context } = request;
    if (validated.error !== undefined) return ready(request, validated);
    const toolContext = createToolContext(request, context.signal, ignore, ignore);
    try {
      const isNeeded = await binding.input.needsApproval?.(asDeclared(validated.input), toolContext);
      return ready(request, validated, isNeeded === true ? true : undefined);
    } catch (error) {
      return failed(request, error);
    }
  };

  /** The call of a mounted toolset, as it runs here. */
  const readyForwarded = (request: CallRequest, forwarded: PreparedCall | ToolResult): PreparedCall | ToolResult =>
    isToolResult(forwarded)
      ? refuse(request, forwarded)
      : { ...forwarded, awaitsStarted: true, run: (running) => run(request, NOTHING_SHOWN, running, forwarded) };

  /** The result of a call whose signal, schema library or check throws. */
  const failed = (request: CallRequest, error: unknown): ToolResult =>
    refuse(request, failedResult(error, request.binding.tool.name));
  return (request) => {
    try {
      const { arguments: raw, binding, context, id, plan } = request;
      if (context.signal.aborted) return refuse(request, cancelledBeforeStartResult(binding.tool.name));
      if (binding.input.forward !== undefined) {
        const forwarded = binding.input.forward(id, typeof raw === 'string' ? raw : toText(raw ?? {}), context);
        return forwarded instanceof Promise
          ? forwarded.then((each) => readyForwarded(request, each)).catch((error: unknown) => failed(request, error))
          : readyForwarded(request, forwarded);
      }
      const validating = validateArguments(binding, raw, plan.policy);
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
  };
}

/** Waits for an asynchronous schema library, with the same timeout as the handler. */
function awaitValidation(
  { binding, context, timeoutMs }: CallRequest,
  validating: Promise<ValidatedArguments>,
  onAbandoned: (settled: Promise<{ readonly failed: boolean }>) => void,
): Promise<ValidatedArguments> {
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
}

/** Returns the arguments for a handler: a copy if they changed since they were shown; undefined if there is none. */
export function takeInput(binding: ToolBinding, shown: ShownArguments): { readonly input?: unknown } | undefined {
  const { isHeld, text, validated } = shown;
  shown.isHeld = true;
  const { parse } = binding.input;
  // The text of what JSON.parse made, or of what a library did.
  if (!isHeld || toText(validated.input) === text) return validated;
  return parse === undefined ? { input: JSON.parse(text) } : undefined;
}

/** The arguments of a handler as JSON. A schema library may have made values that JSON lacks: the nearest stands. */
function toText(input: unknown): string {
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
const NOTHING_SHOWN: ShownArguments = { validated: { repairs: [], notes: [] }, text: '', isHeld: false };

function validationError(end: HandlerEnd, toolName: string, timeoutMs: number): KernelError {
  if (end.kind === 'aborted') return cancelledBeforeStart(toolName);
  const message = `the arguments of "${toolName}" could not be validated within ${timeoutMs} ms.`;
  return new KernelError('TOOL_TIMEOUT', message, { retryable: true });
}

function ignore(): void {}
