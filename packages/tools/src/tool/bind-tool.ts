// `I` is the author's claim about the checked input; the schema is its proof.
// oxlint-disable typescript/no-unnecessary-type-parameters
import { type JsonObject, KernelError, type Tool, type ToolContext } from '@kernel/protocol';
import type { BindingOptions, ToolBinding, ToolHandler } from './binding.ts';
import { type Described, checkCondition, describeTool } from './check-tool.ts';
import { checkBindingOptions } from '../registry/options.ts';

/**
 * Ties a handler to a tool whose parameters came as JSON Schema (from a file, a server, another program).
 *
 * The tool is copied and then frozen: `binding.tool` is the object that goes everywhere; the caller's stays as it was.
 * Throws `TOOL_SCHEMA_INVALID` with a JSON pointer for a wrong schema, and never fetches a reference.
 */
export function bindTool<I = JsonObject>(
  tool: Tool,
  handler: (input: I, context: ToolContext) => unknown,
  options: BindingOptions = {},
): ToolBinding {
  const described = describeTool(tool);
  return toBinding(described, handler, { validator: described.validator }, options);
}

/** Puts a binding together and checks its options. */
export function toBinding<I>(
  described: Described,
  handler: ToolHandler<I>,
  input: ToolBinding['input'],
  options: BindingOptions,
): ToolBinding {
  const { tool, output } = described;
  if (typeof handler !== 'function') {
    throw new KernelError('CONFIG_INVALID', `Tool "${tool.name}" has no handler.`, {
      hint: 'Give a function as the handler.',
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
