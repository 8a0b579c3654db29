import { canonicalJson, isObject, truncate, errorMessage } from '@kernel/internal';
import { type JsonObject, type JsonSchema, type JsonValue, KernelError } from '@kernel/protocol';
import type { Coerced, LibrarySchema, StandardResult } from '@kernel/schema';
import { checkFailed, isStandardSchema, type OutputSchema } from './output-schema.ts';
import { describeLoss, readJson } from './read-json.ts';

/** The property that holds an answer which is not an object. */
const ANSWER = 'answer';
const MAX_ISSUES = 10;
const MAX_ISSUE_LENGTH = 200;

export type ReadOutput = { readonly answer: string; readonly output: unknown } | { readonly issues: readonly string[] };

export interface CompiledOutput {
  /** The schema sent to the model: always an object, as vendors require. */
  readonly schema: JsonSchema;
  /** The same for strict modes; undefined if they cannot express it. */
  readonly strictSchema: JsonSchema | undefined;
  /** Returns the answer within what has arrived of it; undefined if it has not begun. */
  unwrapPartial(value: JsonValue): JsonValue | undefined;
  /** Reads a whole reply. Repairs what can be repaired without loss. Calls the schema library at most once, and rejects with `CONFIG_INVALID` if it throws. */
  read(text: string): Promise<ReadOutput>;
  readAnswer(answer: string): Promise<ReadOutput>;
}

const compiledOutputs = new WeakMap<object, Promise<CompiledOutput>>();

/** What a value may be meant as, the likeliest first. */
type Forms = readonly [unknown, ...unknown[]];

/**
 * Prepares a schema, once for each schema object. Rejects with `CONFIG_INVALID` for one that is wrong or has no JSON Schema.
 * Loads `@kernel/schema` on first use.
 */
export function compileOutput(output: OutputSchema): Promise<CompiledOutput> {
  const existing = compiledOutputs.get(output);
  if (existing !== undefined) return existing;
  const compiled = createCompiledOutput(output).catch((error: unknown) => {
    throw asConfigError(error);
  });
  compiledOutputs.set(output, compiled);
  return compiled;
}

/** An output is no tool, although its schema is checked as that of a tool is. */
function asConfigError(error: unknown): unknown {
  if (!KernelError.is(error, 'TOOL_SCHEMA_INVALID')) return error;
  const { message, hint, data, cause } = error;
  return new KernelError('CONFIG_INVALID', message, { hint, data, ...(cause === undefined ? {} : { cause }) });
}

async function createCompiledOutput(output: OutputSchema): Promise<CompiledOutput> {
  const {
    coerceValue,
    compileSchema,
    deepFreezeCopy,
    fromStandardSchema,
    inspectSchema,
    issuePath,
    resetMatchSteps,
    toStrictSchema,
  } = await import('@kernel/schema');
  const subject = 'The output schema';
  const library = isStandardSchema(output) ? fromStandardSchema(output, subject) : undefined;
  const given = isStandardSchema(output) ? library?.jsonSchema : deepFreezeCopy(output, subject);
  if (!isObject(given)) throw new KernelError('CONFIG_INVALID', `${subject} must be an object.`);
  const inner: JsonSchema =
    given['type'] === undefined && isObject(given['properties']) ? { type: 'object', ...given } : given;
  inspectSchema(inner, subject);
  const validator = compileSchema(inner);
  const isWrapped = inner['type'] !== 'object' || inner['$ref'] !== undefined;
  const schema = isWrapped ? wrap(inner) : inner;

  const fit = ([first, ...others]: Forms): Coerced => {
    const coerced = coerceValue(first, validator);
    if (coerced.issues.length === 0) return coerced;
    for (const other of others) {
      const fitting = coerceValue(other, validator);
      if (fitting.issues.length === 0) return fitting;
    }
    return coerced;
  };
  const validateWithLibrary = async (value: unknown): Promise<ReadOutput> => {
    const result = library === undefined ? { value } : await callLibrary(library, value);
    if (result.issues !== undefined)
      return { issues: describe(result.issues.map((issue) => [issuePath(issue), issue.message])) };
    return { answer: JSON.stringify(value), output: result.value };
  };
  /** A value may be the object that was asked for, or an answer that was given without it. */
  const formsOf = (value: unknown): Forms =>
    isWrapped && isObject(value) && ANSWER in value && Object.keys(value).length === 1
      ? [value[ANSWER], value]
      : [value];
  return {
    schema,
    strictSchema: toStrictSchema(schema),
    unwrapPartial: (value) => (isWrapped && isJsonObject(value) ? value[ANSWER] : value),
    async read(text) {
      resetMatchSteps(); // each answer has the steps of its patterns to itself
      let issues: readonly string[] | undefined;
      for (const candidate of readJson(text)) {
        const coerced = fit(formsOf(candidate.value));
        const isFit = coerced.issues.length === 0;
        // Of candidates that do not fit, the likeliest says what is wrong.
        const loss = isFit || issues === undefined ? describeLoss(candidate) : undefined;
        if (isFit) return loss === undefined ? validateWithLibrary(coerced.value) : { issues: [loss] };
        issues ??= loss === undefined ? describeMisfit(coerced) : [loss];
      }
      return { issues: issues ?? [text.trim() === '' ? 'the answer is empty' : 'the answer is not valid JSON'] };
    },
    async readAnswer(answer) {
      resetMatchSteps();
      const coerced = fit([JSON.parse(answer)]);
      return coerced.issues.length === 0 ? validateWithLibrary(coerced.value) : { issues: describeMisfit(coerced) };
    },
  };
}

async function callLibrary(library: LibrarySchema, value: unknown): Promise<StandardResult<unknown>> {
  try {
    return await library.validate(value);
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('call stack'))
      return { issues: [{ message: 'expected a value that is nested less deeply' }] };
    throw checkFailed(`A check or transform of the output schema failed: ${errorMessage(error)}`, error);
  }
}

function describeMisfit({ issues }: Coerced): readonly string[] {
  return describe(issues.map(({ path, expected }) => [path, `expected ${expected}`]));
}

function describe(issues: readonly (readonly [path: string, problem: string])[]): readonly string[] {
  const shown = issues
    .slice(0, MAX_ISSUES)
    .map(([path, problem]) => truncate(`${path || '/'}: ${problem}`, MAX_ISSUE_LENGTH));
  return issues.length > MAX_ISSUES ? [...shown, `and ${issues.length - MAX_ISSUES} more`] : shown;
}

/** Puts a schema into an object with one property. Definitions move to the root, where references to them still lead. */
function wrap(schema: JsonSchema): JsonSchema {
  const { $schema, $defs, definitions, ...rest } = relocate(schema);
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { [ANSWER]: rest },
    required: [ANSWER],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

/** Rewrites references to the root, or to anything in it but definitions, to the wrapper property. */
function relocate(schema: JsonSchema): JsonSchema {
  if (!canonicalJson(schema).includes('"$ref"')) return schema;
  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => rewrite(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, content]) => [key, key === '$ref' ? movedReference(content) : rewrite(content)]),
    );
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays one
  return rewrite(schema) as JsonSchema;
}

function movedReference(reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(?:$|\/)/.test(reference)) return reference;
  return /^#\/(?:\$defs|definitions)\//.test(reference) ? reference : `#/properties/${ANSWER}${reference.slice(1)}`;
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}
