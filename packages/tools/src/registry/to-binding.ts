import { sliceHead } from '@kernel/internal';
import { describeValue, KernelError, type ToolWithHandler } from '@kernel/protocol';
import { bindTool } from '../tool/bind-tool.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { checkName } from './name-errors.ts';

/**
 * Returns the binding of what is to be registered: itself, or one made of a tool and its handler. Throws `CONFIG_INVALID` for anything else and
 * says what to pass, `TOOL_NAME_INVALID` or `TOOL_SCHEMA_INVALID`.
 */
export function toBinding(given: ToolBinding | ToolWithHandler): ToolBinding {
  const binding = isBinding(given) ? given : bind(given);
  checkName(binding.tool.name);
  return binding;
}

function bind(given: ToolWithHandler): ToolBinding {
  if (!hasToolAndHandler(given)) throw notBindingError(given);
  const { tool, handler, timeoutMs, concurrency, runsAgent } = given;
  const binding = bindTool(tool, handler.bind(given), { timeoutMs, concurrency });
  return runsAgent === true ? Object.freeze({ ...binding, runsAgent }) : binding;
}

function hasToolAndHandler(given: unknown): given is ToolWithHandler {
  if (typeof given !== 'object' || given === null || !('tool' in given && 'handler' in given)) return false;
  return typeof given.handler === 'function' && typeof given.tool === 'object' && given.tool !== null;
}

/** Throws `CONFIG_INVALID` for anything but a list of bindings, and says what to pass. */
export function checkList(subject: string, bindings: Iterable<ToolBinding | ToolWithHandler>): void {
  const given: unknown = bindings;
  if (typeof given === 'object' && given !== null && Symbol.iterator in given) return;
  const hint = isBinding(given)
    ? `Put the binding into an array: ${subject}([tool]).`
    : `Pass an array of bindings, then options: ${subject}([tool], { … }).`;
  const shown = typeof given === 'object' && given !== null ? 'an object' : describeValue(given);
  throw new KernelError('CONFIG_INVALID', `${subject} takes an array of bindings, not ${shown}.`, { hint });
}

/** The error for something that is neither a binding nor a tool with a handler; it says what to pass. */
function notBindingError(given: unknown): KernelError {
  return new KernelError(
    'CONFIG_INVALID',
    `Only a ToolBinding or a tool with its handler can be registered, not ${shapeOf(given)}.`,
    {
      hint: hintFor(given),
    },
  );
}

/** Whether a value is what `bindTool` and `defineTool` return. */
function isBinding(value: unknown): value is ToolBinding {
  if (typeof value !== 'object' || value === null || !('input' in value && 'tool' in value)) return false;
  const { input, tool } = value;
  const hasValidator = typeof input === 'object' && input !== null && 'validator' in input;
  return hasValidator && typeof input.validator === 'function' && typeof tool === 'object' && tool !== null;
}

function shapeOf(given: unknown): string {
  if (Array.isArray(given)) return 'an array';
  if (typeof given !== 'object' || given === null) return describeValue(given);
  if ('parameters' in given && 'name' in given) return 'a Tool, which has no handler';
  return `an object with ${sliceHead(Object.keys(given).slice(0, 5).join(', '), 80) || 'no keys'}`;
}

function hintFor(given: unknown): string {
  if (Array.isArray(given)) return 'Use registerAll([…]) for an array.';
  const isObject = typeof given === 'object' && given !== null;
  if (isObject && 'parameters' in given && !('execute' in given)) return 'Bind it first: bindTool(tool, handler).';
  if (isObject && 'execute' in given)
    return 'Define it with defineTool({ name, description, input, handler }): "execute" is "handler" here.';
  return 'Create one with defineTool({ … }) or bindTool(tool, handler).';
}
