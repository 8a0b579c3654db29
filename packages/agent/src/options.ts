import {
  type Conversation,
  type JsonObject,
  KernelError,
  type Message,
  type Provider,
  type Toolset,
} from '@kernel/protocol';
import type { Approve } from './approval/approval.ts';
import { checkLimits, type RunLimits } from './limits/run-limits.ts';
import type { Steering } from './loop/steering.ts';
import type { Steps } from './loop/steps.ts';

/** What a run needs. Everything else is a wrapper over `provider` or `tools`. */
export interface RunOptions {
  readonly provider: Provider;
  readonly model: string;
  /** The conversation so far; never changed. A history that ends with unanswered calls goes on with them. */
  readonly messages: readonly Message[];
  readonly tools?: Toolset | undefined;
  /** The system prompt; takes the place of any in `messages`. */
  readonly system?: string | undefined;
  /** Model options for every request of the run. */
  readonly options?: JsonObject | undefined;
  readonly limits?: RunLimits | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Reaches every handler's context. */
  readonly conversation?: Conversation | undefined;
  /** Asked about calls of tools with effect `write`, `external` or none. Without it every call runs. */
  readonly approve?: Approve | undefined;
  /** Messages into the running run: `createSteering()`. */
  readonly steering?: Steering | undefined;
  /** The door to the world. Default `inProcessSteps`. */
  readonly steps?: Steps | undefined;
  /** False asks the provider for whole replies instead of streams. */
  readonly stream?: boolean | undefined;
}

/** Throws `CONFIG_INVALID` for options that no run can start with. */
export function checkRunOptions(options: RunOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new KernelError('CONFIG_INVALID', 'run() got no options.', {
      hint: 'Pass { provider, model, messages }.',
    });
  if (typeof options.provider?.stream !== 'function')
    throw new KernelError('CONFIG_INVALID', 'run() got no provider.', {
      hint: 'Pass a Provider, such as createProvider({ name: "openai", … }) of @kernel/providers gives.',
    });
  if (typeof options.model !== 'string')
    throw new KernelError('CONFIG_INVALID', `run() got ${String(options.model)} as its model.`, {
      hint: 'Pass the name of a model.',
    });
  if (!Array.isArray(options.messages))
    throw new KernelError('CONFIG_INVALID', 'run() got no array of messages.', {
      hint: 'Pass messages: [{ role: "user", content: "…" }].',
    });
  const odd = options.messages.findIndex((message: unknown) => !isMessage(message));
  if (odd !== -1)
    throw new KernelError('CONFIG_INVALID', `messages[${odd}] is no message.`, {
      hint: 'Each has a role (system, user, assistant, tool) and content: text, or a list of parts.',
    });
  if (
    options.tools !== undefined &&
    (typeof options.tools.call !== 'function' || typeof options.tools.list !== 'function')
  )
    throw new KernelError('CONFIG_INVALID', 'run() got tools that are no Toolset.', {
      hint: 'Pass createRegistry([…]) of @kernel/tools, not a list of tools.',
    });
  checkLimits(options.limits ?? {});
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('role' in value) || !('content' in value)) return false;
  if (!ROLES.has(value.role)) return false;
  if (Array.isArray(value.content)) return true;
  return typeof value.content === 'string' && value.role !== 'assistant';
}
