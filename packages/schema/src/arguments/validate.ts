import { isRepeatable, type JsonSchema, KernelError, type ToolRepair, type Tool } from '@kernel/protocol';
import { type Coerced, coerceValue } from '../coerce/coerce.ts';
import type { StandardResult } from '../standard-schema.ts';
import type { ValidationIssue } from '../validator/checks.ts';
import { resetMatchSteps } from '../validator/pattern.ts';
import { type DroppedPropertyFinder, createDroppedPropertyFinder } from './dropped-properties.ts';
import { argumentsError, standardIssuesError, unknownPropertyNote } from './error-text.ts';
import { type RawArguments, parseArguments } from './parse.ts';
import { type UnknownProperty, createUnknownPropertyFilter } from './unknown-properties.ts';
import type { Validator } from '../validator/compile-schema.ts';

interface Validation {
  readonly binding: ValidatedTool;
  readonly policy: ValidationPolicy;
  readonly parseRepairs: readonly ToolRepair[];
  readonly unknownProperties: UnknownProperty[];
}

type Validating = ValidatedArguments | Promise<ValidatedArguments>;

/**
 * Parses a call's arguments, handles unknown properties, validates and, if the policy says so, repairs them. Returns a promise only for an
 * asynchronous schema library. Never throws or rejects.
 */
export function validateArguments(binding: ValidatedTool, raw: RawArguments, policy: ValidationPolicy): Validating {
  resetMatchSteps();
  try {
    return validate(binding, raw, policy);
  } catch (error) {
    // Only a value so deep that the stack overflows still throws, or texts on which a pattern takes too many steps.
    return { error: tooDeepError(binding, error), repairs: [], notes: [] };
  }
}

function tooDeepError({ tool }: ValidatedTool, cause: unknown): KernelError {
  const message = `the arguments of "${tool.name}" are nested too deeply, or take too long, to be checked.`;
  return new KernelError('ARGUMENTS_INVALID', message, { cause });
}

function validate(binding: ValidatedTool, raw: RawArguments, policy: ValidationPolicy): Validating {
  const { effect, name } = binding.tool;
  const parsed = parseArguments(raw, name, isRepeatable(effect));
  if (!('value' in parsed)) return { error: parsed, repairs: [], notes: [] };

  const unknownProperties: UnknownProperty[] = [];
  const value = filterUnknown(parsed.value, binding, policy, unknownProperties);
  const rejected = unknownProperties.length > 0 && policy.unknownProperties === 'reject';
  const { parse, validator } = binding.input;
  // The common case allocates nothing more.
  if (!rejected && parse === undefined && validator().test(value))
    return { input: value, repairs: parsed.repairs, notes: notesOf(unknownProperties) };

  const validation: Validation = { binding, policy, parseRepairs: parsed.repairs, unknownProperties };
  if (rejected) return rejectUnknown(value, validation, parsed.repairs);
  if (parse === undefined) return coerce(value, validation);
  // A library may accept what the JSON Schema does not, and change its meaning ("false" becomes true): repairs come first.
  if (policy.repair === 'apply' && !validator().test(value)) {
    const coerced = coerceValue(value, validator());
    if (coerced.issues.length === 0) return applyCoerced(coerced, validation);
  }
  return andThen(callParse(parse, value), (result) =>
    result.issues === undefined
      ? acceptParsed(value, result.value, parsed.repairs, validation)
      : coerce(value, validation),
  );
}

function coerce(value: unknown, validation: Validation): Validating {
  const { binding, policy, parseRepairs } = validation;
  const validator = binding.input.validator();
  const issues = validator.issues(value);
  const coerced = policy.repair === 'off' ? { value, repairs: [], issues } : coerceValue(value, validator);
  const repairs = [...parseRepairs, ...coerced.repairs];
  if (policy.repair !== 'apply') {
    return issues.length === 0 ? parseWithLibrary(value, [], validation) : reject(issues, repairs, validation);
  }
  return coerced.issues.length > 0 ? reject(coerced.issues, repairs, validation) : applyCoerced(coerced, validation);
}

function applyCoerced(coerced: Coerced, validation: Validation): Validating {
  const repairs = [...validation.parseRepairs, ...coerced.repairs];
  const { binding, policy, unknownProperties } = validation;
  const value = filterUnknown(coerced.value, binding, policy, unknownProperties);
  const rejected = unknownProperties.length > 0 && policy.unknownProperties === 'reject';
  return rejected ? rejectUnknown(value, validation, repairs) : parseWithLibrary(value, repairs, validation);
}

function parseWithLibrary(value: unknown, repairs: readonly ToolRepair[], validation: Validation): Validating {
  const { tool, input } = validation.binding;
  if (input.parse === undefined) return accept(value, repairs, validation);
  return andThen(callParse(input.parse, value), (result) =>
    result.issues === undefined
      ? acceptParsed(value, result.value, repairs, validation)
      : { error: standardIssuesError(tool.name, result.issues), repairs, notes: [] },
  );
}

function accept(input: unknown, repairs: readonly ToolRepair[], validation: Validation): ValidatedArguments {
  return { input, repairs, notes: notesOf(validation.unknownProperties) };
}

/** Refuses a value from which the library has dropped properties, unless the policy removes them anyway. */
function acceptParsed(
  value: unknown,
  input: unknown,
  repairs: readonly ToolRepair[],
  validation: Validation,
): ValidatedArguments {
  const { binding, policy, unknownProperties } = validation;
  if (policy.unknownProperties === 'passthrough') return { ...accept(input, repairs, validation), json: value };
  const find = finderOf(binding.tool.parameters);
  try {
    unknownProperties.push(...find(value, input));
  } catch (error) {
    if (error instanceof RangeError) return { error: tooDeepError(binding, error), repairs: [], notes: [] };
    throw error;
  }
  const rejected = unknownProperties.length > 0 && policy.unknownProperties === 'reject';
  return rejected ? rejectUnknown(value, validation, repairs) : { ...accept(input, repairs, validation), json: value };
}

function reject(
  issues: readonly ValidationIssue[],
  repairs: readonly ToolRepair[],
  { binding, unknownProperties }: Validation,
): ValidatedArguments {
  return { error: argumentsError(binding.tool.name, issues, unknownProperties), repairs, notes: [] };
}

/** Names what else is wrong with the value and could not be repaired. */
function rejectUnknown(value: unknown, validation: Validation, repairs: readonly ToolRepair[]): ValidatedArguments {
  const { binding, policy, unknownProperties } = validation;
  const validator = binding.input.validator();
  const others = policy.repair === 'apply' ? coerceValue(value, validator).issues : validator.issues(value);
  const error = argumentsError(binding.tool.name, [...unknownProperties.map(toIssue), ...others]);
  return { error, repairs, notes: [] };
}

/** With the policy `strip`, returns a copy without the unknown properties. */
function filterUnknown(
  value: unknown,
  binding: ValidatedTool,
  policy: ValidationPolicy,
  found: UnknownProperty[],
): unknown {
  if (policy.unknownProperties === 'passthrough') return value;
  const filtered = filterOf(binding.tool.parameters)(value, found);
  return policy.unknownProperties === 'reject' ? value : filtered;
}

function toIssue({ path, name, knownProperties }: UnknownProperty): ValidationIssue {
  return {
    path,
    keyword: 'additionalProperties',
    expected: 'no other property',
    received: undefined,
    property: name,
    knownProperties,
    accepts: () => false,
  };
}

const NO_NOTES: readonly string[] = [];
const MAX_NOTES = 5;

function notesOf(unknown: readonly UnknownProperty[]): readonly string[] {
  if (unknown.length === 0) return NO_NOTES;
  const notes = unknown.slice(0, MAX_NOTES).map(unknownPropertyNote);
  const more = unknown.length - notes.length;
  return more === 0
    ? notes
    : [...notes, `And ${more} more unknown ${more === 1 ? 'argument was' : 'arguments were'} left out.`];
}

/** A library that throws has rejected the value. */
function callParse(
  parse: NonNullable<ValidatedTool['input']['parse']>,
  value: unknown,
): StandardResult<unknown> | Promise<StandardResult<unknown>> {
  try {
    const result = parse(value);
    return result instanceof Promise ? result.catch(parseFailed) : result;
  } catch (error) {
    return parseFailed(error);
  }
}

function parseFailed(error: unknown): StandardResult<unknown> {
  // The cause is for logs only: it may name files and secrets of the program.
  return { issues: [{ message: 'could not be checked: the check itself failed', cause: error }] };
}

const findNone: DroppedPropertyFinder = () => [];
const finderOf = oncePerSchema((schema) => createDroppedPropertyFinder(schema) ?? findNone);
const filterOf = oncePerSchema(createUnknownPropertyFilter);

function oncePerSchema<T extends object>(create: (schema: JsonSchema) => T): (schema: JsonSchema) => T {
  const made = new WeakMap<JsonSchema, T>();
  return (schema) => {
    const known = made.get(schema);
    const value = known ?? create(schema);
    if (known === undefined) made.set(schema, value);
    return value;
  };
}

function andThen<T, U>(value: T | Promise<T>, use: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then((resolved) => use(resolved)) : use(value);
}

/** `off`: reject; `report`: reject and list the repairs that would have helped; `apply`: repair without loss and list the repairs. */
export type RepairPolicy = 'off' | 'report' | 'apply';

/** `strip`: remove them and tell the model; `reject`: reject the call; `passthrough`: pass them to the handler. */
export type UnknownProperties = 'strip' | 'reject' | 'passthrough';

/** A tool, and what its arguments are validated with. */
export interface ValidatedTool {
  /** The tool. */
  readonly tool: Tool;
  /** How its arguments are validated. */
  readonly input: {
    /** Returns the validator of `tool.parameters`. */
    readonly validator: () => Validator;
    /** The validation of the tool's schema library, if it has one. It decides last, and its output is what the handler gets. */
    readonly parse?: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;
  };
}

/** How arguments are validated. */
export interface ValidationPolicy {
  /** Whether near-valid arguments are repaired. */
  readonly repair: RepairPolicy;
  /** What happens to arguments that the schema does not mention. */
  readonly unknownProperties: UnknownProperties;
}

/** What validation results in: a handler's input or an error, never both. */
export interface ValidatedArguments {
  /** The handler's input. */
  readonly input?: unknown;
  /** The arguments as JSON, where a schema library made something else of them. */
  readonly json?: unknown;
  /** Why the handler cannot run. */
  readonly error?: KernelError;
  /** What was changed, or with the policy `report` could have been changed. */
  readonly repairs: readonly ToolRepair[];
  /** Sentences for the model about arguments that were removed. */
  readonly notes: readonly string[];
}
