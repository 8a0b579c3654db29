import { canonicalJson, isObject, truncate } from '@kernel/internal';
import { type JsonObject, type JsonSchema, type JsonValue, KernelError } from '@kernel/protocol';
import { isStandardSchema, type OutputSchema } from './output-schema.ts';
import { readJson } from './read-json.ts';

/** The property that holds an answer which is not an object. */
const ANSWER = 'answer';
const MAX_ISSUES = 10;
const MAX_ISSUE_LENGTH = 200;

/** The outcome of reading a reply: its JSON and the value for the program, or what is wrong. */
export type ReadOutput =
  | { readonly json: JsonValue; readonly output: unknown }
  | { readonly issues: readonly string[] };

/** The schema of a typed answer, ready to ask for it and to read it. */
export interface CompiledOutput {
  /** The schema sent to the model: always an object, as vendors require. */
  readonly schema: JsonSchema;
  /** The same for strict modes; undefined if they cannot express it. */
  readonly strictSchema: JsonSchema | undefined;
  /** Returns the answer within what has arrived of it; undefined if it has not begun. */
  unwrapPartial(value: JsonValue): JsonValue | undefined;
  /** Reads a whole reply. Repairs what can be repaired without loss. Rejects with what the schema library throws. */
  read(text: string): Promise<ReadOutput>;
}

const compiledOutputs = new WeakMap<object, Promise<CompiledOutput>>();

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
    freezeCopy,
    inspectSchema,
    issuePath,
    resetMatchBudget,
    toJsonSchema,
    toStrictSchema,
  } = await import('@kernel/schema');
  const subject = 'The output schema';
  const library = isStandardSchema(output) ? output['~standard'] : undefined;
  const given = isStandardSchema(output) ? toJsonSchema(output, subject) : freezeCopy(output, subject);
  if (!isObject(given)) throw new KernelError('CONFIG_INVALID', `${subject} must be an object.`);
  const inner: JsonSchema =
    given['type'] === undefined && isObject(given['properties']) ? { type: 'object', ...given } : given;
  inspectSchema(inner, subject);
  const validator = compileSchema(inner);
  const isWrapped = inner['type'] !== 'object' || inner['$ref'] !== undefined;
  const schema = isWrapped ? wrap(inner) : inner;

  const validate = async (value: unknown): Promise<ReadOutput> => {
    resetMatchBudget(); // each answer has the time for its patterns to itself
    const coerced = coerceValue(value, validator);
    if (coerced.issues.length > 0)
      return { issues: describe(coerced.issues.map(({ path, expected }) => [path, `expected ${expected}`])) };
    const result = library === undefined ? { value: coerced.value } : await library.validate(coerced.value);
    if (result.issues !== undefined)
      return { issues: describe(result.issues.map((issue) => [issuePath(issue), issue.message])) };
    // It was parsed from JSON text, and repairs keep it JSON.
    // eslint-disable-next-line typescript/no-unsafe-type-assertion
    return { json: coerced.value as JsonValue, output: result.value };
  };
  const unwrap = (value: unknown): unknown =>
    isWrapped && isObject(value) && ANSWER in value && Object.keys(value).length === 1 ? value[ANSWER] : value;
  return {
    schema,
    strictSchema: toStrictSchema(schema),
    unwrapPartial: (value) => (isWrapped && isJsonObject(value) ? value[ANSWER] : value),
    async read(text) {
      const read = readJson(text);
      return 'issue' in read ? { issues: [read.issue] } : validate(unwrap(read.value));
    },
  };
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
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays one
  return rewrite(schema) as JsonSchema;
}

function movedReference(reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(?:$|\/)/.test(reference)) return reference;
  return /^#\/(?:\$defs|definitions)\//.test(reference) ? reference : `#/properties/${ANSWER}${reference.slice(1)}`;
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}
