import type { JsonSchema } from '@kernel/protocol';
import type { StandardResult, StandardSchemaWithJson } from '../standard-schema.ts';
import { createDateReader } from './date-reader.ts';
import { generateJsonSchema } from './generate-json-schema.ts';

/** A schema of a library, as JSON needs it. */
export interface LibrarySchema {
  /** The JSON Schema of its input. A date is a `string` of the format `date-time`. */
  readonly jsonSchema: JsonSchema;
  /** Validates JSON. A date in it becomes a `Date` before the library sees it. */
  readonly validate: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;
}

/**
 * Returns the JSON Schema of a schema's input, without `$schema` and without bounds that only mean "safe integer", and what validates JSON by it.
 * Throws `TOOL_SCHEMA_INVALID`, which names the schema as `subject`, with a hint for its library.
 */
export function fromStandardSchema(schema: StandardSchemaWithJson, subject: string): LibrarySchema {
  const { dates, jsonSchema } = generateJsonSchema(schema, subject);
  const { validate } = schema['~standard'];
  if (dates.size === 0) return { jsonSchema, validate: (value) => validate(value) };
  const readDates = createDateReader(jsonSchema, dates);
  return {
    jsonSchema,
    validate(value) {
      const { issues, value: read } = readDates(value);
      return issues.length === 0 ? validate(read) : { issues };
    },
  };
}
