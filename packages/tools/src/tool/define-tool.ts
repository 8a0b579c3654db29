import { checkKeys, KernelError, optionKeys, type Tool } from '@kernel/protocol';
import { fromStandardSchema, type OutputOf, type StandardSchemaWithJson } from '@kernel/schema';
import { createBinding } from './bind-tool.ts';
import { BINDING_KEYS, type BindingOptions, type ToolBinding, type ToolHandler } from './binding.ts';
import { TOOL_KEYS, checkTool } from './check-tool.ts';
import type { ArgumentsOf, DataOf, HandlerContext, HandlerResult } from './tool-types.ts';

const { parameters: _parameters, ...SHARED_KEYS } = TOOL_KEYS;
const DEFINE_OPTIONS = optionKeys<UntypedOptions>({
  ...SHARED_KEYS,
  input: true,
  output: true,
  handler: true,
  ...BINDING_KEYS,
});

/** The argument of `defineTool`: everything of a tool but its parameters, which come from a schema library, and the handler. */
export interface DefineToolOptions<
  S extends StandardSchemaWithJson,
  O extends StandardSchemaWithJson = never,
  Context = unknown,
  Name extends string = string,
>
  extends Omit<Tool, 'name' | 'parameters'>, BindingOptions<OutputOf<S>, Context> {
  /** Matches `/^[A-Za-z0-9_-]{1,64}$/`; checked when the tool is registered. */
  readonly name: Name;
  /** The schema of the arguments. */
  readonly input: S;
  /**
   * The schema of a successful result's `data`, in place of `outputSchema`. It is used in its input form: the handler returns what the schema
   * accepts, and data that does not match its JSON Schema is `TOOL_FAILED`. Data stays as returned: no default or transform is applied.
   */
  readonly output?: O | undefined;
  /** Does the work of the tool. Gets the output of the schema: defaults and transforms are applied. */
  readonly handler: (input: OutputOf<S>, context: HandlerContext<Context>) => HandlerResult<O>;
}

/** Defines tools whose handlers and conditions need a context: see `defineTool`. */
export type ToolDefiner<Context> = <
  const Name extends string,
  S extends StandardSchemaWithJson,
  O extends StandardSchemaWithJson = never,
>(
  options: DefineToolOptions<S, O, Context, Name>,
) => ToolBinding<Name, ArgumentsOf<S>, DataOf<O>, Context>;

/**
 * Defines a tool with a schema library: zod from 4.2, or any Standard Schema that provides its JSON Schema.
 *
 * The handler's input type is inferred. The JSON Schema is generated here, once, in its input form: a field with a default is optional.
 * A date is a `string` of the format `date-time` for the model, and a `Date` for the handler. Throws `TOOL_SCHEMA_INVALID` if the schema does not describe an
 * object or has no JSON Schema.
 *
 * A tool that needs the `context` of the run is defined with `defineTool<Context>()({ … })`: a registry with it then asks for that context.
 *
 * @example
 * ```ts
 * import { defineTool } from '@kernel/tools';
 * import * as z from 'zod';
 *
 * const weather = defineTool({
 *   name: 'weather',
 *   description: 'Tells the weather in a city.',
 *   effect: 'read',
 *   input: z.object({ city: z.string() }),
 *   handler: ({ city }) => ({ city, celsius: 21 }),
 * });
 * ```
 */
export function defineTool<Context>(): ToolDefiner<Context>;
export function defineTool<
  const Name extends string,
  S extends StandardSchemaWithJson,
  O extends StandardSchemaWithJson = never,
>(options: DefineToolOptions<S, O, unknown, Name>): ToolBinding<Name, ArgumentsOf<S>, DataOf<O>, unknown>;
export function defineTool(...given: [] | [UntypedOptions]): unknown {
  return given.length === 0 ? define : define(given[0]);
}

/** The options of any tool, as they are read at run time. */
interface UntypedOptions extends Omit<Tool, 'parameters'>, BindingOptions<never, never> {
  readonly input: StandardSchemaWithJson;
  readonly output?: StandardSchemaWithJson | undefined;
  readonly handler: ToolHandler<never, never>;
}

function define(options: UntypedOptions): ToolBinding {
  const unchecked: typeof options | null | undefined = options;
  if (typeof unchecked !== 'object' || unchecked === null) {
    throw new KernelError('CONFIG_INVALID', 'defineTool takes an object: { name, description, input, handler }.');
  }
  checkKeys('defineTool', options, DEFINE_OPTIONS);
  const { input, output, handler, ...rest } = options;
  const subject = `Tool "${options.name}"`;
  const { jsonSchema: parameters, validate } = fromStandardSchema(input, `${subject}, input`);
  const outputSchema = output && fromStandardSchema(output, `${subject}, output`).jsonSchema;
  if (outputSchema !== undefined && rest.outputSchema !== undefined) {
    throw new KernelError('CONFIG_INVALID', `${subject} has both "output" and "outputSchema".`, {
      hint: 'Keep "output": its JSON Schema is the "outputSchema".',
    });
  }
  const checked = checkTool({ ...rest, parameters, ...(outputSchema === undefined ? {} : { outputSchema }) });
  return createBinding(checked, handler, { validator: checked.validator, parse: validate }, rest);
}
