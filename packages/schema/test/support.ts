import { type JsonSchema, KernelError } from '@kernel/protocol';
import { deepFreezeCopy, inspectSchema } from '../src/index.ts';

/** How the errors of `inspect` name the schema. */
export const SUBJECT = 'The schema';

/** Copies and inspects a schema, as an untrusted one is before it is compiled. */
export function inspect(schema: unknown): JsonSchema {
  const copy = deepFreezeCopy(schema, SUBJECT) as JsonSchema;
  inspectSchema(copy, SUBJECT);
  return copy;
}

/** The `KernelError` that a function throws. */
export function caught(work: () => unknown): KernelError {
  try {
    work();
  } catch (error) {
    if (KernelError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
