import { errorMessage } from '@kernel/internal';
import { type JsonSchema, KernelError } from '@kernel/protocol';
import type { StandardSchemaWithJson } from '../standard-schema.ts';
import { isSchemaObject } from '../validator/schema-index.ts';

/** Marks a date until the schema is cleaned: what a library generates is copied several times. */
const MARK = 'x-kernel-date';
const DATE = { type: 'string', format: 'date-time', [MARK]: true };

export function generateJsonSchema(schema: StandardSchemaWithJson, subject: string) {
  const unchecked: Partial<StandardSchemaWithJson> | null | undefined = schema;
  const standard: Partial<StandardSchemaWithJson['~standard']> | undefined = unchecked?.['~standard'];
  if (typeof standard?.validate !== 'function' || typeof standard.jsonSchema?.input !== 'function') {
    const message = `${subject} is not a Standard Schema that provides its JSON Schema.`;
    throw new KernelError('TOOL_SCHEMA_INVALID', message, { hint: libraryHint(schema) });
  }
  const dates = new Set<object>();
  try {
    const options = standard.vendor === 'zod' ? { libraryOptions: zodOptions() } : {};
    const given = standard.jsonSchema.input({ target: 'draft-2020-12', ...options });
    return { jsonSchema: withoutNoise(given, true, dates), dates };
  } catch (error) {
    const message = `${subject} cannot be expressed as JSON Schema: ${errorMessage(error)}`;
    const hint = 'Use types that JSON can represent, and transform values after validation.';
    throw new KernelError('TOOL_SCHEMA_INVALID', message, { cause: error, hint });
  }
}

/** See https://zod.dev/json-schema. */
interface ZodPart {
  readonly zodSchema: {
    readonly _zod: { readonly def: { readonly type: string; readonly values?: readonly unknown[] } };
  };
}

/** Types that zod leaves empty if it may not throw. */
const UNREPRESENTABLE = new Set('bigint symbol undefined void custom function transform map set nan'.split(' '));

/** With these options, zod represents dates and throws for anything else that JSON cannot hold. */
function zodOptions(): Record<string, unknown> {
  const asked = new Set<unknown>();
  return {
    unrepresentable: ({ zodSchema, message }: ZodPart & { readonly message: string }) => {
      asked.add(zodSchema);
      if (zodSchema['_zod'].def.type === 'date') return DATE;
      throw new Error(message);
    },
    // Before version 4.5, zod does not call `unrepresentable`: what it left empty is found here.
    override: ({ zodSchema, jsonSchema }: ZodPart & { readonly jsonSchema: Record<string, unknown> }) => {
      const { type, values = [] } = zodSchema['_zod'].def;
      if (asked.has(zodSchema)) return;
      if (type === 'date') Object.assign(jsonSchema, DATE);
      else if (UNREPRESENTABLE.has(type)) throw new Error(`${type} cannot be represented in JSON Schema`);
      else if (type === 'literal' && values.some((value) => value === undefined || typeof value === 'bigint'))
        throw new Error('Literals of undefined and bigint cannot be represented in JSON Schema');
    },
  };
}

function withoutNoise(schema: Readonly<Record<string, unknown>>, isRoot: boolean, dates: Set<object>): JsonSchema {
  const isInteger = schema['type'] === 'integer';
  const kept = Object.entries(schema).filter(
    ([keyword, content]) =>
      keyword !== MARK &&
      !(isRoot && keyword === '$schema') &&
      !(isInteger && keyword === 'minimum' && content === Number.MIN_SAFE_INTEGER) &&
      !(isInteger && keyword === 'maximum' && content === Number.MAX_SAFE_INTEGER),
  );
  const cleaned = Object.fromEntries(
    kept.map(([keyword, content]) => [keyword, DATA_KEYWORDS.has(keyword) ? content : cleanContent(content, dates)]),
  );
  if (schema[MARK] === true) dates.add(cleaned);
  return cleaned;
}

/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples']);

function cleanContent(content: unknown, dates: Set<object>): unknown {
  if (Array.isArray(content)) return content.map((item: unknown) => cleanContent(item, dates));
  return isSchemaObject(content) ? withoutNoise(content, false, dates) : content;
}

type Shape = Readonly<Record<string, unknown>>;

const GUIDE = 'See "Schemas of other libraries" in the guide "Write a tool".';

export function libraryHint(schema: unknown): string {
  const isSchema = (typeof schema === 'object' || typeof schema === 'function') && schema !== null;
  // The schema of a library is an object, or with ArkType and Effect a function with properties.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const line = isSchema ? lineFor(schema as Shape) : undefined;
  return line === undefined
    ? 'Use zod 4.2 or later, or another Standard Schema with "~standard.jsonSchema". A tool with a plain JSON Schema is made with `bindTool`.'
    : `${line} ${GUIDE}`;
}

function lineFor(schema: Shape): string | undefined {
  if ('_zod' in schema)
    return "For zod/mini: `input: z.toJSONSchema(schema)`, with `{ unrepresentable: 'any' }` if it has dates.";
  if ('_def' in schema)
    return 'For zod 3: `bindTool({ name, description, parameters: { ...zodToJsonSchema(schema) } }, (input) => handle(schema.parse(input)))`, with zod-to-json-schema.';
  const standard = schema['~standard'];
  const vendor =
    typeof standard === 'object' && standard !== null && 'vendor' in standard ? standard.vendor : undefined;
  if (vendor === 'valibot') return 'For valibot: `input: toStandardJsonSchema(schema)`, with @valibot/to-json-schema.';
  if (vendor === 'effect' || ('ast' in schema && 'pipe' in schema))
    return 'For Effect: `input: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))`.';
  if ('~kind' in schema || typeof schema['type'] === 'string' || 'properties' in schema)
    return 'For TypeBox, and any plain JSON Schema: `bindTool<Static<typeof schema>>({ name, description, parameters: { ...schema } }, handler)`.';
  return undefined;
}
