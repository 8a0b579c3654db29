import { errorMessage } from '@kernel/internal';
import { type JsonSchema, KernelError } from '@kernel/protocol';
import type { StandardSchemaWithJson } from '../standard-schema.ts';
import { isSchemaObject } from '../validator/schema-index.ts';
import { libraryHint } from './library-hint.ts';

export interface GeneratedSchema {
  /** Without what only the library needs. */
  readonly jsonSchema: JsonSchema;
  /** Those whose values the library expects as a `Date`. */
  readonly dates: ReadonlySet<object>;
}

/** Marks a date until the schema is cleaned: what a library generates is copied several times. */
const MARK = 'x-kernel-date';
const DATE = { type: 'string', format: 'date-time', [MARK]: true };

export function generateJsonSchema(schema: StandardSchemaWithJson, subject: string): GeneratedSchema {
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

/** https://zod.dev/json-schema */
interface ZodPart {
  readonly zodSchema: {
    readonly _zod: { readonly def: { readonly type: string; readonly values?: readonly unknown[] } };
  };
}

/** Types that zod leaves empty if it may not throw. */
const UNREPRESENTABLE = new Set('bigint symbol undefined void custom function transform map set nan'.split(' '));

/** They represent dates, and nothing else that JSON has no form for. */
function zodOptions(): Record<string, unknown> {
  const asked = new Set<unknown>();
  return {
    unrepresentable: ({ zodSchema, message }: ZodPart & { readonly message: string }) => {
      asked.add(zodSchema);
      if (zodSchema['_zod'].def.type === 'date') return DATE;
      throw new Error(message);
    },
    // Before zod 4.5 nobody is asked: then what was left empty is found here.
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
