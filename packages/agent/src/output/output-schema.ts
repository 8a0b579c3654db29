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

/** The error of a schema whose check or transform failed: a mistake of the program and not of the model. */
export function checkFailed(message: string, cause?: unknown): KernelError {
  return new KernelError('CONFIG_INVALID', message, {
    hint: 'A check says that a value does not fit by an issue, not by a throw.',
    ...(cause === undefined ? {} : { cause }),
  });
}

export function isStandardSchema(schema: unknown): schema is StandardSchemaWithJson {
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function') || !('~standard' in schema))
    return false;
  const standard: unknown = schema['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard && 'jsonSchema' in standard;
}
