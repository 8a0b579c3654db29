import type { JsonSchema, Tool } from '@kernel/protocol';
import type { CallToolResult, JsonSchemaValidator } from '@modelcontextprotocol/client';
import type { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

/** Returns what is wrong with the structured content of a result, or undefined if it matches the tool's output schema. */
export type CheckOutput = (tool: Tool, result: CallToolResult) => string | undefined;

/** By output schema, compiled at the first result. */
const validators = new WeakMap<JsonSchema, JsonSchemaValidator<unknown> | 'invalid-schema'>();

/** Creates the check. A schema that cannot be compiled accepts everything, so that its tool stays usable. */
export function createOutputCheck(compiler: Pick<AjvJsonSchemaValidator, 'getValidator'>): CheckOutput {
  const compile = (schema: JsonSchema): JsonSchemaValidator<unknown> | 'invalid-schema' => {
    try {
      return compiler.getValidator<unknown>({ ...schema });
    } catch {
      return 'invalid-schema';
    }
  };
  return ({ outputSchema }, { isError, structuredContent }) => {
    if (outputSchema === undefined || isError === true) return undefined;
    if (structuredContent === undefined)
      return 'the tool has an output schema, but the result has no structured content';
    const validator = validators.get(outputSchema) ?? compile(outputSchema);
    validators.set(outputSchema, validator);
    if (validator === 'invalid-schema') return undefined;
    const { valid, errorMessage } = validator(structuredContent);
    return valid ? undefined : errorMessage;
  };
}
