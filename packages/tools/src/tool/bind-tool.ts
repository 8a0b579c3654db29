import { sliceHead } from '@kernel/internal';
// `I` is the author's claim about the validated input; the schema is its proof.
// oxlint-disable typescript/no-unnecessary-type-parameters
import { checkKeys, type JsonObject, KernelError, optionKeys, type Tool } from '@kernel/protocol';
import {
  type BindingOptions,
  type ToolBinding,
  type ToolHandler,
  checkBindingKeys,
  checkBindingOptions,
} from './binding.ts';
import { type CheckedTool, TOOL_KEYS, checkCondition, checkTool } from './check-tool.ts';
import type { HandlerContext, ToolTypes } from './tool-types.ts';

const TOOL_OPTIONS = optionKeys<Tool>(TOOL_KEYS);

/**
 * Binds a handler to a tool whose parameters are JSON Schema, for example from a file or another program.
 *
 * `binding.tool` is a frozen copy; the given object does not change. Throws `TOOL_SCHEMA_INVALID` with a JSON pointer for an invalid schema.
 * References are never fetched.
 *
 * `I` is the author's claim about the input; a `Context` is what handler and condition need as `context` of the run.
 *
 * @example
 * ```ts
 * import { bindTool } from '@kernel/tools';
 *
 * const parameters = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] };
 * const convert = bindTool<{ readonly celsius: number }>(
 *   { name: 'to_fahrenheit', description: 'Converts a temperature.', effect: 'read', parameters },
 *   ({ celsius }) => `${(celsius * 9) / 5 + 32} °F`,
 * );
 * ```
 */
export function bindTool<I = JsonObject, Context = unknown, const Name extends string = string>(
  tool: Tool & {
    /** The tool's name, whose literal type the binding keeps. */
    readonly name: Name;
  },
  handler: (input: I, context: HandlerContext<Context>) => unknown,
  options?: BindingOptions<I, Context>,
): ToolBinding<Name, JsonObject extends I ? ToolTypes['input'] : I, unknown, Context>;
export function bindTool(tool: Tool, handler: ToolHandler, options: BindingOptions<never, never> = {}): ToolBinding {
  const unchecked: unknown = tool;
  if (typeof unchecked === 'object' && unchecked !== null)
    checkKeys(`bindTool, tool "${nameOf(tool)}"`, tool, TOOL_OPTIONS);
  const checked = checkTool(tool);
  checkBindingKeys(checked.tool.name, options);
  return createBinding(checked, handler, { validator: checked.validator }, options);
}

function nameOf(tool: Partial<Tool>): string {
  return typeof tool.name === 'string' ? sliceHead(tool.name, 80) : '<unnamed>';
}

export function createBinding(
  { tool, output }: CheckedTool,
  handler: ToolHandler<never, never>,
  input: ToolBinding['input'],
  options: BindingOptions<never, never>,
): ToolBinding {
  if (typeof handler !== 'function') {
    throw new KernelError('CONFIG_INVALID', `Tool "${tool.name}" has no handler.`, {
      hint: 'Pass a function as the handler.',
    });
  }
  checkBindingOptions(tool.name, options);
  checkCondition(tool, options.when);
  return Object.freeze({
    tool,
    handler,
    input: Object.freeze(input),
    ...(output === undefined ? {} : { output }),
    timeoutMs: options.timeoutMs,
    concurrency: options.concurrency,
    repair: options.repair,
    unknownProperties: options.unknownProperties,
    resultLimit: options.resultLimit,
    retries: options.retries,
    when: options.when,
  });
}
