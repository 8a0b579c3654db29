import { checkFunctions, checkKeys, optionKeys, type Provider, type Toolset } from '@kernel/protocol';
import { type ModelHooks, withModelHooks } from './model-hooks.ts';
import { type ToolHooks, withToolHooks } from './tool-hooks.ts';

const MODEL_HOOK_KEYS = optionKeys<ModelHooks>({ beforeModel: true, afterModel: true });
const TOOL_HOOK_KEYS = optionKeys<ToolHooks>({ beforeTool: true, afterTool: true });

/**
 * Wraps a port with hooks that run before and after the model, or before and after each tool call.
 *
 * A hook may let things pass (by returning nothing), change what passes, answer in place of the call, deny it, or end the run with an answer
 * (reason `handled`). Of two wrappers, the outer `before` runs first and the outer `after` last. A hook that throws fails closed: a tool call
 * becomes a failed result, a model call throws.
 */
export function withHooks(port: Provider, hooks: ModelHooks): Provider;
export function withHooks<Context = unknown>(port: Toolset<Context>, hooks: ToolHooks<Context>): Toolset<Context>;
export function withHooks<Context>(port: Provider, hooks: ModelHooks<Context>): Provider;
export function withHooks(port: Provider | Toolset, hooks: ModelHooks & ToolHooks): Provider | Toolset {
  checkKeys('withHooks', hooks, 'stream' in port ? MODEL_HOOK_KEYS : TOOL_HOOK_KEYS);
  checkFunctions('withHooks', { ...hooks });
  return 'stream' in port ? withModelHooks(port, hooks) : withToolHooks(port, hooks);
}
