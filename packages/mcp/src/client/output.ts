import type { JsonSchema, Tool } from '@kernel/protocol';
import type { CallToolResult, JsonSchemaValidator } from '@modelcontextprotocol/client';
import type { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

/** Says what is wrong with the structured content of an answer; nothing where it fits the tool's output schema. */
export type CheckOutput = (tool: Tool, answer: CallToolResult) => string | undefined;

/** By output schema, compiled at the first answer; nothing where it can't be compiled. */
const compiled = new WeakMap<JsonSchema, JsonSchemaValidator<unknown> | 'none'>();

/** Creates the check. A schema that can't be compiled checks nothing: its tool stays usable. */
export function createCheckOutput(compiler: Pick<AjvJsonSchemaValidator, 'getValidator'>): CheckOutput {
  const compile = (schema: JsonSchema): JsonSchemaValidator<unknown> | 'none' => {
    try {
      return compiler.getValidator<unknown>({ ...schema });
    } catch {
      return 'none';
    }
  };
  return ({ outputSchema }, { isError, structuredContent }) => {
    if (outputSchema === undefined || isError === true) return undefined;
    if (structuredContent === undefined) return 'it has an output schema, and no structured content came';
    const validator = compiled.get(outputSchema) ?? compile(outputSchema);
    compiled.set(outputSchema, validator);
    if (validator === 'none') return undefined;
    const { valid, errorMessage } = validator(structuredContent);
    return valid ? undefined : errorMessage;
  };
}
