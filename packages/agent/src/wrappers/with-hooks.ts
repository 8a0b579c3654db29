import type { Provider, Toolset } from '@kernel/protocol';
import { type ModelHooks, withModelHooks } from './model-hooks.ts';
import { type ToolHooks, withToolHooks } from './tool-hooks.ts';

/**
 * Wraps a port with hooks that run before and after the model, or before and after each tool call.
 *
 * A hook may let things pass (by returning nothing), change what passes, answer in place of the call, deny it, or end the run with an answer
 * (reason `handled`). Of two wrappers, the outer `before` runs first and the outer `after` last. A hook that throws fails closed: a tool call
 * becomes a failed result, a model call throws.
 */
export function withHooks(port: Provider, hooks: ModelHooks): Provider;
export function withHooks(port: Toolset, hooks: ToolHooks): Toolset;
export function withHooks(port: Provider | Toolset, hooks: ModelHooks & ToolHooks): Provider | Toolset {
  return 'stream' in port ? withModelHooks(port, hooks) : withToolHooks(port, hooks);
}
