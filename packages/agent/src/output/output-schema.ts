import { isObject } from '@kernel/internal';
import { describeType, KernelError, type JsonSchema } from '@kernel/protocol';
import type { StandardSchemaWithJson } from '@kernel/schema';

/** The schema of a typed answer: zod from 4.2, any Standard Schema that provides its JSON Schema, or a JSON Schema. */
export type OutputSchema<Output = unknown> = StandardSchemaWithJson<unknown, Output> | JsonSchema;

/** Throws `CONFIG_INVALID` for anything that is not a schema. Errors inside a schema are found when the run starts. */
export function checkOutputSchema(owner: string, schema: unknown): void {
  if (schema === undefined || isStandardSchema(schema)) return;
  const problem = problemOf(schema);
  if (problem === undefined) return;
  throw new KernelError('CONFIG_INVALID', `${owner}: ${problem}`, {
    hint: 'Pass a schema of zod 4.2 or later, another Standard Schema with "~standard.jsonSchema", or a JSON Schema.',
  });
}

function problemOf(schema: unknown): string | undefined {
  const isLibrarySchema =
    schema !== null && (typeof schema === 'object' || typeof schema === 'function') && '~standard' in schema;
  if (isLibrarySchema) return 'the output schema has no JSON Schema.';
  if (!isObject(schema)) return `output is ${describeType(schema)}, not a schema.`;
  return Object.keys(schema).length === 0 ? 'output is an empty object, not a schema.' : undefined;
}

/** Whether a schema belongs to a schema library. */
export function isStandardSchema(schema: unknown): schema is StandardSchemaWithJson {
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function') || !('~standard' in schema))
    return false;
  const standard: unknown = schema['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard && 'jsonSchema' in standard;
}
