import { KernelError, type JsonSchema } from '@kernel/protocol';
import type { InputSchema } from '@kernel/schema';

/** The schema of a typed answer: zod from 4.2, any Standard Schema that provides its JSON Schema, or a JSON Schema. */
export type OutputSchema<Output = unknown> = InputSchema<unknown, Output> | JsonSchema;

/** Throws `CONFIG_INVALID` for something that is no schema. What is wrong inside of one is found when the run starts. */
export function checkOutputSchema(owner: string, schema: unknown): void {
  if (schema === undefined || isStandardSchema(schema)) return;
  const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  if (isObject && Object.keys(schema).length > 0 && !('~standard' in schema)) return;
  throw new KernelError('CONFIG_INVALID', `${owner}: output is not a schema.`, {
    hint: 'Pass a schema of zod 4.2 or later, another Standard Schema with "~standard.jsonSchema", or a JSON Schema.',
  });
}

/** The error of a schema whose check or transform failed: a mistake of the program and not of the model. */
export function checkFailed(message: string, cause?: unknown): KernelError {
  return new KernelError('CONFIG_INVALID', message, {
    hint: 'A check says that a value does not fit by an issue, not by a throw.',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Whether a schema belongs to a schema library. */
export function isStandardSchema(schema: unknown): schema is InputSchema {
  if (schema === null || (typeof schema !== 'object' && typeof schema !== 'function') || !('~standard' in schema))
    return false;
  const standard: unknown = schema['~standard'];
  return typeof standard === 'object' && standard !== null && 'validate' in standard && 'jsonSchema' in standard;
}
