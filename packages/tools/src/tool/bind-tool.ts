// `I` is the author's claim about the validated input; the schema is its proof.
// oxlint-disable typescript/no-unnecessary-type-parameters
import { type JsonObject, KernelError, type Tool, type ToolContext } from '@kernel/protocol';
import { type BindingOptions, type ToolBinding, type ToolHandler, checkBindingOptions } from './binding.ts';
import { type CheckedTool, checkCondition, checkTool } from './check-tool.ts';

/**
 * Binds a handler to a tool whose parameters are JSON Schema, for example from a file or another program.
 *
 * `binding.tool` is a frozen copy; the given object does not change. Throws `TOOL_SCHEMA_INVALID` with a JSON pointer for an invalid schema.
 * References are never fetched.
 */
export function bindTool<I = JsonObject>(
  tool: Tool,
  handler: (input: I, context: ToolContext) => unknown,
  options: BindingOptions = {},
): ToolBinding {
  const checked = checkTool(tool);
  return createBinding(checked, handler, { validator: checked.validator }, options);
}

/** Creates a frozen binding and checks its options. Throws `CONFIG_INVALID` or `TOOL_SCHEMA_INVALID`. */
export function createBinding<I>(
  { tool, output }: CheckedTool,
  handler: ToolHandler<I>,
  input: ToolBinding['input'],
  options: BindingOptions,
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
