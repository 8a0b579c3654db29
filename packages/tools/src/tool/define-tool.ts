import { checkKeys, KernelError, optionKeys, type Tool, type ToolContext } from '@kernel/protocol';
import { type InputSchema, type OutputOf, toJsonSchema } from '@kernel/schema';
import { createBinding } from './bind-tool.ts';
import { BINDING_KEYS, type BindingOptions, FOREIGN_BINDING_KEYS, type ToolBinding } from './binding.ts';
import { TOOL_KEYS, checkTool } from './check-tool.ts';

const TAKES_INPUT = 'Use "input" for the schema of a library, or bindTool(tool, handler) for a JSON Schema.';
const { parameters: _parameters, ...SHARED_KEYS } = TOOL_KEYS;
const DEFINE_OPTIONS = optionKeys<DefineToolOptions<InputSchema>>(
  { ...SHARED_KEYS, input: true, handler: true, ...BINDING_KEYS },
  {
    ...FOREIGN_BINDING_KEYS,
    execute: 'Use "handler".',
    run: 'Use "handler".',
    func: 'Use "handler".',
    callback: 'Use "handler".',
    parameters: TAKES_INPUT,
    inputSchema: TAKES_INPUT,
    schema: TAKES_INPUT,
    args: TAKES_INPUT,
    annotations: 'Use "effect" for what a call changes, and "metadata" for the rest.',
    maxSteps: 'Use `limits.turns` of run(): a tool has no steps.',
  },
);

/** The argument of `defineTool`: everything of a tool but its parameters, which come from a schema library, and the handler. */
export interface DefineToolOptions<S extends InputSchema> extends Omit<Tool, 'parameters'>, BindingOptions {
  /** The schema of the arguments. */
  readonly input: S;
  /** Does the work of the tool. Gets the output of the schema: defaults and transforms are applied. */
  readonly handler: (input: OutputOf<S>, context: ToolContext) => unknown;
}

/**
 * Defines a tool with a schema library: zod from 4.2, or any Standard Schema that provides its JSON Schema.
 *
 * The handler's input type is inferred. The JSON Schema is generated here, once, in its input form: a field with a default is optional.
 * Throws `TOOL_SCHEMA_INVALID` if the schema does not describe an object or has no JSON Schema.
 */
export function defineTool<S extends InputSchema>(options: DefineToolOptions<S>): ToolBinding {
  const unchecked: DefineToolOptions<S> | null | undefined = options;
  if (typeof unchecked !== 'object' || unchecked === null) {
    throw new KernelError('CONFIG_INVALID', 'defineTool takes an object: { name, description, input, handler }.');
  }
  checkKeys('defineTool', options, DEFINE_OPTIONS);
  const { input, handler, ...rest } = options;
  const checked = checkTool({ ...rest, parameters: toJsonSchema(input, `Tool "${options.name}", input`) });
  const { validate } = input['~standard'];
  return createBinding(checked, handler, { validator: checked.validator, parse: (value) => validate(value) }, rest);
}
