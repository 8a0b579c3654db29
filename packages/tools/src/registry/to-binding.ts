import { hasInnerSteps, markInnerSteps, type ToolImplementation } from '@kernel/protocol';
import { bindTool } from '../tool/bind-tool.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { isBinding, notBindingError } from './binding-errors.ts';
import { checkName } from './name-errors.ts';

/**
 * Returns the binding of what is to be registered: itself, or one made of a tool and its handler. Throws `CONFIG_INVALID` for anything else and
 * says what to pass, `TOOL_NAME_INVALID` or `TOOL_SCHEMA_INVALID`.
 */
export function toBinding(given: ToolBinding | ToolImplementation): ToolBinding {
  const binding = isBinding(given) ? given : bind(given);
  checkName(binding.tool.name);
  return binding;
}

function bind(given: ToolImplementation): ToolBinding {
  if (!isImplementation(given)) throw notBindingError(given);
  const { tool, handler, timeoutMs, concurrency } = given;
  const bound = handler.bind(given);
  return bindTool(tool, hasInnerSteps(handler, tool.name) ? markInnerSteps(bound) : bound, { timeoutMs, concurrency });
}

function isImplementation(given: unknown): given is ToolImplementation {
  if (typeof given !== 'object' || given === null || !('tool' in given && 'handler' in given)) return false;
  return typeof given.handler === 'function' && typeof given.tool === 'object' && given.tool !== null;
}
