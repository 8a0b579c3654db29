import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { compileSchema, type StandardSchemaWithJson, type StandardResult } from '@kernel/schema';
import { once } from '../../once.ts';
import { asDeclared } from '../../unsafe-casts.ts';

/** Returns the schema of an AI SDK tool as a Standard Schema: it may be one, a schema of `jsonSchema()`, or a function that returns either. */
export function toInputSchema(name: string, given: unknown): StandardSchemaWithJson<object> {
  const schema: unknown = typeof given === 'function' && !('~standard' in given) ? given() : given;
  if (isStandard(schema)) return schema;
  if (!isObject(schema) || !isObject(schema['jsonSchema']) || 'then' in schema['jsonSchema'])
    throw new KernelError('TOOL_SCHEMA_INVALID', `The inputSchema of the AI SDK tool "${name}" has no JSON Schema.`, {
      hint: 'Use zod 4.2 or later, or jsonSchema() with a schema that is not a promise.',
    });
  const { jsonSchema, validate } = schema;
  const validator = once(() => compileSchema(jsonSchema));
  return {
    '~standard': {
      version: 1,
      vendor: 'ai-sdk',
      validate(value) {
        if (!validator().test(value)) return { issues: [{ message: 'does not match the JSON Schema' }] };
        return typeof validate === 'function' ? readValidation(validate(value)) : { value: asDeclared(value) };
      },
      jsonSchema: { input: () => jsonSchema },
    },
  };
}

function isStandard(schema: unknown): schema is StandardSchemaWithJson<object> {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;
}

async function readValidation(validating: unknown): Promise<StandardResult<object>> {
  const validated = await validating;
  if (!isObject(validated)) return { issues: [{ message: 'could not be checked' }] };
  if (validated['success'] === true) return { value: asDeclared(validated['value']) };
  const { error } = validated;
  return { issues: [{ message: error instanceof Error ? error.message : 'is not valid' }] };
}
