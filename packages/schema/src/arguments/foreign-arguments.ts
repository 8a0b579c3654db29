import {
  type CallContext,
  isRepeatable,
  type JsonSchema,
  KernelError,
  resultAfterAbort,
  type RunningCall,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  toModelText,
  type ToolRepair,
  unreadableResult,
} from '@kernel/protocol';
import { compileSchema, type Validator } from '../validator/compile-schema.ts';
import { inspectSchema } from '../validator/inspect-schema.ts';
import { usableSchema } from '../validator/usable-schema.ts';
import type { RawArguments } from './parse.ts';
import { validateArguments, type RepairPolicy, type ValidatedArguments } from './validate.ts';
import { errorMessage, truncate } from '@kernel/internal';

/**
 * Validates the arguments of a tool that another toolset or a server runs, and repairs them. What the schema does not mention is passed on, and so is what
 * stands under a part of it that is wrong, remote or unsafe: who runs the tool decides on it. Never throws.
 */
export function validateForeign(tool: Tool, raw: RawArguments, repair: RepairPolicy = 'apply'): ValidatedArguments {
  const target = { tool, input: { validator: () => validatorOf(tool) } };
  const validated = validateArguments(target, raw, { repair, unknownProperties: 'passthrough' });
  // Only a schema library is asynchronous, and a foreign tool has none.
  return validated instanceof Promise ? { input: raw, repairs: [], notes: [] } : validated;
}

/** Does the same for a toolset that gets text, as `input`: the model's own, unless something was repaired. */
export function validateForeignText(tool: Tool, raw: RawArguments, repair?: RepairPolicy): ValidatedArguments {
  const validated = validateForeign(tool, raw, repair);
  // A toolset whose tool may be called again may read exactly what would be rounded here.
  const isRounded = validated.error?.data?.['number'] !== undefined && isRepeatable(tool.effect);
  if (typeof raw === 'string' && (isRounded || (validated.error === undefined && validated.repairs.length === 0)))
    return { input: raw, repairs: [], notes: [] };
  return validated.error === undefined ? { ...validated, input: JSON.stringify(validated.input) } : validated;
}

/** What runs the calls of some tools, and what it offers. */
export interface CallSource<Context = unknown> extends Omit<Toolset<Context>, 'prepare'> {
  /** Runs a call, whose arguments fit the schema of its tool. */
  call(call: ToolCall, context: CallContext<Context> & RunningCall): Promise<ToolResult>;
  /** Whether `call` awaits `started` itself. Default false. */
  readonly awaitsStarted?: boolean | undefined;
}

/**
 * Makes a toolset of one function that runs all calls. Arguments are validated and repaired by the listed schema; a result of an aborted call that does
 * not say how it ended becomes one that says that nobody knows. What the function throws is a failed result.
 */
export function toToolset<Context = unknown>(source: CallSource<Context>): Toolset<Context> {
  const { awaitsStarted, listFor, subscribe } = source;
  return {
    list: () => source.list(),
    ...(listFor !== undefined && { listFor: (turn) => listFor.call(source, turn) }),
    ...(subscribe !== undefined && { subscribe: (listener) => subscribe.call(source, listener) }),
    prepare(call, context) {
      const tool = source.list().find(({ name }) => name === call.name);
      if (tool === undefined) return notFoundResult(call.name, source.list());
      if (context.signal.aborted) return toErrorResult(cancelledError(call.name), 'cancelled');
      const validated = validateForeignText(tool, call.arguments);
      if (validated.error !== undefined) return annotateResult(toErrorResult(validated.error), validated);
      const text = String(validated.input);
      return {
        tool,
        arguments: text,
        awaitsStarted,
        async run(running) {
          const { signal } = running;
          if (signal.aborted) return toErrorResult(cancelledError(tool.name), 'cancelled');
          let result: ToolResult;
          try {
            result = await source.call({ ...call, arguments: text }, { ...context, ...running });
          } catch (error) {
            return thrownResult(tool, error, signal.aborted);
          }
          try {
            return annotateResult(signal.aborted ? resultAfterAbort(result, tool.name) : result, validated);
          } catch (error) {
            const why = `${errorMessage(error).replace(/[.]$/, '')}.`;
            if (signal.aborted) return resultAfterAbort(unreadableResult(tool.name, why, error), tool.name);
            return isRepeatable(tool.effect)
              ? thrownResult(tool, error, false)
              : unreadableResult(tool.name, why, error);
          }
        },
      };
    },
  };
}

function notFoundResult(name: string, tools: readonly Tool[]): ToolResult {
  const names = tools.slice(0, MAX_NAMES).map((tool) => tool.name);
  const hint = names.length === 0 ? 'There are no tools.' : `Offered: ${names.join(', ')}.`;
  return toErrorResult(new KernelError('TOOL_NOT_FOUND', `There is no tool "${truncate(name, 80)}".`, { hint }));
}

/** The result of a call whose function threw: after an abort, what it has done by then may be unknown. */
function thrownResult({ effect, name }: Tool, cause: unknown, isAborted: boolean): ToolResult {
  const why = errorMessage(cause);
  if (!isAborted) return toErrorResult(new KernelError('TOOL_FAILED', `"${name}" failed: ${why}`, { cause }));
  const done = isRepeatable(effect) ? '' : '; what it has done so far is unknown';
  const message = `"${name}" was cancelled while it ran${done}. It reported: ${why.replace(/[.]$/, '')}.`;
  return toErrorResult(new KernelError('TOOL_CANCELLED', message, { cause }), 'cancelled');
}

function cancelledError(name: string): KernelError {
  return new KernelError('TOOL_CANCELLED', `"${name}" was cancelled before it started.`, { data: { tool: name } });
}

const MAX_NAMES = 10;
const ACCEPTS_ALL: Validator = { test: () => true, issues: () => [] };
const validators = new WeakMap<JsonSchema, Validator>();

function validatorOf({ name, parameters }: Tool): Validator {
  const known = validators.get(parameters);
  if (known !== undefined) return known;
  // Nobody here can change the schema, and the toolset may read it in its own way.
  const validator = compiled(parameters, name) ?? compiled(() => usableSchema(parameters), name) ?? ACCEPTS_ALL;
  validators.set(parameters, validator);
  return validator;
}

function compiled(given: JsonSchema | (() => JsonSchema), name: string): Validator | undefined {
  try {
    const schema = typeof given === 'function' ? given() : given;
    inspectSchema(schema, name);
    return compileSchema(schema);
  } catch {
    return undefined;
  }
}

const MAX_REPAIRS = 5;
const MAX_PATH = 60;

/** Adds what validation changed to a result: as `repairs`, and as a note for the model if the handler ran with the changes. */
export function annotateResult(result: ToolResult, { error, repairs, notes }: ValidatedArguments): ToolResult {
  if (repairs.length === 0 && notes.length === 0) return result;
  const sentences = error === undefined && repairs.length > 0 ? [repairNote(repairs), ...notes] : notes;
  const forLLM = sentences.length === 0 ? result.forLLM : `${toModelText(result)}\n(${sentences.join(' ')})`;
  return { ...result, forLLM, ...(repairs.length === 0 ? {} : { repairs }) };
}

/** Leaves the values out: they may be long, or secret. */
function repairNote(repairs: readonly ToolRepair[]): string {
  const shown = repairs.slice(0, MAX_REPAIRS).map(({ path, rule }) => `${truncate(path || '/', MAX_PATH)} ${rule}`);
  const more = repairs.length > MAX_REPAIRS ? `, and ${repairs.length - MAX_REPAIRS} more` : '';
  return `Repaired arguments: ${shown.join(', ')}${more}.`;
}
