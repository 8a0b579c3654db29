import { KernelError, type Tool, type ToolContext } from '@kernel/protocol';
import type { BindingOptions, ToolBinding } from './binding.ts';
import { toBinding } from './bind-tool.ts';
import { describeTool } from './check-tool.ts';
import { type InputSchema, type OutputOf, toJsonSchema } from './standard-schema.ts';

/** What `defineTool` takes: a tool whose parameters are given by a schema library, and its handler. */
export interface ToolDraft<S extends InputSchema> extends Omit<Tool, 'parameters'>, BindingOptions {
  readonly input: S;
  readonly handler: (input: OutputOf<S>, context: ToolContext) => unknown;
}

/**
 * Defines a tool by a schema library (zod from 4.2, or any Standard Schema that gives its JSON Schema).
 *
 * The handler's input is inferred and is the parsed value, defaults applied. The JSON Schema is made here, once, in its
 * input form: a field with a default is optional. Throws `TOOL_SCHEMA_INVALID` where the schema is no object or has no JSON form.
 */
export function defineTool<S extends InputSchema>(definition: ToolDraft<S>): ToolBinding {
  const given: ToolDraft<S> | null | undefined = definition;
  if (typeof given !== 'object' || given === null) {
    throw new KernelError('CONFIG_INVALID', 'defineTool takes an object: { name, description, input, handler }.');
  }
  const { input, handler, ...rest } = definition;
  const described = describeTool({ ...rest, parameters: toJsonSchema(input, `Tool "${definition.name}", input`) });
  const { validate } = input['~standard'];
  return toBinding(described, handler, { validator: described.validator, parse: (value) => validate(value) }, rest);
}
