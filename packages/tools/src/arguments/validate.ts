import { KernelError, type ToolRepair } from '@kernel/protocol';
import type { RepairPolicy, ToolBinding, UnknownProperties } from '../tool/binding.ts';
import type { Fault } from '../schema/check.ts';
import { resetMatchClock } from '../schema/pattern.ts';
import type { StandardResult } from '../tool/standard-schema.ts';
import { argumentsError, issuesError, strayNote } from './messages.ts';
import { type RawArguments, parseArguments } from './parse.ts';
import { type Repaired, repairValue } from './coerce.ts';
import { type Stray, type StrayFinder, createStrayFinder } from './unknown-properties.ts';

/** How arguments are read. */
export interface ReadPolicy {
  readonly repair: RepairPolicy;
  readonly unknownProperties: UnknownProperties;
}

/** A handler's input, or why there is none; and what was changed or left out on the way. */
export interface ReadArguments {
  readonly input?: unknown;
  readonly error?: KernelError;
  readonly repairs: readonly ToolRepair[];
  /** Sentences for the model about arguments that were left out. */
  readonly notes: readonly string[];
}

/** Reads, cleans, checks and, where the policy says so, mends a call's arguments. A promise only for an asynchronous schema. Never throws. */
export function readArguments(
  binding: ToolBinding,
  given: RawArguments,
  policy: ReadPolicy,
): ReadArguments | Promise<ReadArguments> {
  resetMatchClock();
  try {
    return readChecked(binding, given, policy);
  } catch (error) {
    // What is left is a value so deep that the stack ends.
    const message = `the arguments of "${binding.tool.name}" are nested too deeply to be checked.`;
    return { error: new KernelError('ARGUMENTS_INVALID', message, { cause: error }), repairs: [], notes: [] };
  }
}

const finders = new WeakMap<object, StrayFinder>();

function readChecked(
  binding: ToolBinding,
  given: RawArguments,
  policy: ReadPolicy,
): ReadArguments | Promise<ReadArguments> {
  const { name } = binding.tool;
  if (binding.input.raw === true && typeof given === 'string') return { input: given, repairs: [], notes: [] };
  const parsed = parseArguments(given, name);
  if (KernelError.is(parsed)) return { error: parsed, repairs: [], notes: [] };
  if (binding.input.raw === true) return { input: JSON.stringify(parsed.value), repairs: [], notes: [] };
  const strays: Stray[] = [];
  const value = clean(binding, parsed.value, policy, strays);
  if (strays.length > 0 && policy.unknownProperties === 'reject')
    return refused(binding, strays.map(toFault), parsed.repairs);
  const { parse } = binding.input;
  if (parse === undefined) {
    if (binding.input.validator().test(value)) return { input: value, repairs: parsed.repairs, notes: notesOf(strays) };
    return mended(binding, value, policy, strays, parsed.repairs);
  }
  // A library may accept what the JSON Schema does not and make another value of it ("false" becomes true): mending comes first.
  if (policy.repair === 'apply' && !binding.input.validator().test(value)) {
    const fixed = repairValue(value, binding.input.validator());
    if (fixed.faults.length === 0) return withRepairs(binding, fixed, policy, strays, parsed.repairs);
  }
  const settle = (result: StandardResult<unknown>): ReadArguments | Promise<ReadArguments> =>
    result.issues === undefined
      ? { input: result.value, repairs: parsed.repairs, notes: notesOf(strays) }
      : mended(binding, value, policy, strays, parsed.repairs);
  return after(attempt(parse, value), settle);
}

/** The second way, for values that were refused: mend, clean and check once more. */
function mended(
  binding: ToolBinding,
  value: unknown,
  policy: ReadPolicy,
  strays: Stray[],
  before: readonly ToolRepair[],
): ReadArguments | Promise<ReadArguments> {
  const { validator } = binding.input;
  const faults = validator().faults(value);
  const fixed = policy.repair === 'off' ? { value, repairs: [], faults } : repairValue(value, validator());
  const repairs = [...before, ...fixed.repairs];
  if (policy.repair !== 'apply')
    return faults.length === 0 ? own(binding, value, [], strays) : refused(binding, faults, repairs, strays);
  if (fixed.faults.length > 0) return refused(binding, fixed.faults, repairs, strays);
  return withRepairs(binding, fixed, policy, strays, before);
}

function withRepairs(
  binding: ToolBinding,
  fixed: Pick<Repaired, 'value' | 'repairs'>,
  policy: ReadPolicy,
  strays: Stray[],
  before: readonly ToolRepair[],
): ReadArguments | Promise<ReadArguments> {
  const repairs = [...before, ...fixed.repairs];
  const cleaned = clean(binding, fixed.value, policy, strays);
  if (strays.length > 0 && policy.unknownProperties === 'reject') return refused(binding, strays.map(toFault), repairs);
  return own(binding, cleaned, repairs, strays);
}

/** Lets the tool's own schema library decide. */
function own(
  binding: ToolBinding,
  value: unknown,
  repairs: readonly ToolRepair[],
  strays: readonly Stray[],
): ReadArguments | Promise<ReadArguments> {
  const { parse } = binding.input;
  if (parse === undefined) return { input: value, repairs, notes: notesOf(strays) };
  return after(attempt(parse, value), (result) =>
    result.issues === undefined
      ? { input: result.value, repairs, notes: notesOf(strays) }
      : { error: issuesError(binding.tool.name, result.issues), repairs, notes: [] },
  );
}

function refused(
  binding: ToolBinding,
  faults: readonly Fault[],
  repairs: readonly ToolRepair[],
  strays: readonly Stray[] = [],
): ReadArguments {
  return { error: argumentsError(binding.tool.name, faults, strays), repairs, notes: [] };
}

function clean(binding: ToolBinding, value: unknown, policy: ReadPolicy, strays: Stray[]): unknown {
  if (policy.unknownProperties === 'passthrough') return value;
  let finder = finders.get(binding.tool.parameters);
  if (finder === undefined) {
    finder = createStrayFinder(binding.tool.parameters);
    finders.set(binding.tool.parameters, finder);
  }
  const cleaned = finder(value, strays);
  return policy.unknownProperties === 'reject' ? value : cleaned;
}

function toFault(stray: Stray): Fault {
  const facts = {
    keyword: 'additionalProperties',
    expected: 'no other property',
    property: stray.name,
    known: stray.known,
  };
  return { path: stray.path, received: undefined, accepts: () => false, ...facts };
}

function notesOf(strays: readonly Stray[]): readonly string[] {
  return strays.length === 0 ? [] : strays.slice(0, 5).map((stray) => strayNote(stray.path, stray.name, stray.known));
}

/** A schema library that throws has refused the value. */
function attempt(
  parse: NonNullable<ToolBinding['input']['parse']>,
  value: unknown,
): StandardResult<unknown> | Promise<StandardResult<unknown>> {
  try {
    const result = parse(value);
    return result instanceof Promise ? result.catch(failed) : result;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): StandardResult<unknown> {
  // What it threw is for logs: it may name files and secrets of the program.
  const issue = { message: 'could not be checked: the check itself failed', cause: error };
  return { issues: [issue] };
}

function after<T, U>(value: T | Promise<T>, use: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then((given) => use(given)) : use(value);
}
