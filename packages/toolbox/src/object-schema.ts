import type { JsonSchema } from '@kernel/protocol';

/** The schema of an object with these properties and no others. */
export function objectSchema(required: readonly string[], properties: JsonSchema): JsonSchema {
  const demands = required.length === 0 ? {} : { required };
  return { type: 'object', properties, ...demands, additionalProperties: false };
}
