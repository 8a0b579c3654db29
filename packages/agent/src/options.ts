import {
  type Conversation,
  type JsonObject,
  KernelError,
  type Message,
  type Provider,
  type Toolset,
} from '@kernel/protocol';
import { type Approve, checkApprovalTimeout } from './approval/approval.ts';
import { checkLimits, type RunLimits } from './limits/run-limits.ts';
import type { Steering } from './loop/steering.ts';
import type { StepExecutor } from './loop/steps.ts';

/** What a run needs. Everything else is a wrapper around `provider` or `tools`. */
export interface RunOptions {
  /** Where requests are sent. */
  readonly provider: Provider;
  /** The name of the model. */
  readonly model: string;
  /** The conversation so far; never changed. A history that ends with unanswered calls goes on with them. */
  readonly messages: readonly Message[];
  /** The tools on offer, and what runs them. */
  readonly tools?: Toolset | undefined;
  /** The system prompt; replaces any in `messages`. */
  readonly system?: string | undefined;
  /** Model options of every request of the run. */
  readonly options?: JsonObject | undefined;
  /** What the run may use. Default: 25 turns, and the guard against repeats. */
  readonly limits?: RunLimits | undefined;
  /** Aborts the run and everything in flight. */
  readonly signal?: AbortSignal | undefined;
  /** Passed to every handler in its context. */
  readonly conversation?: Conversation | undefined;
  /**
   * Identifies the run beyond its process. With the id of a call it makes the call's idempotency key, so that a call that is repeated after a
   * crash has the same key. Default: the session's id in `runSession`, otherwise an id that the first step of each batch makes.
   */
  readonly runId?: string | undefined;
  /** Decides on calls of tools with effect `write`, `external` or none. Without it every call runs. */
  readonly approve?: Approve | undefined;
  /**
   * How long a decision of `approve` may take, in milliseconds. A later answer denies, and the result of the call says so. Agents that run as
   * tools inherit it with `approve`. Default: no limit.
   */
  readonly approvalTimeoutMs?: number | undefined;
  /** Sends messages into the run while it goes on: `createSteering()`. */
  readonly steering?: Steering | undefined;
  /** Executes the steps of the run, for example to record them in a journal. Default `inProcessSteps`. */
  readonly steps?: StepExecutor | undefined;
  /** False asks the provider for whole replies instead of streams. */
  readonly stream?: boolean | undefined;
}

/** Throws `CONFIG_INVALID` for options that no run can start with. */
export function checkRunOptions(options: RunOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new KernelError('CONFIG_INVALID', 'run() was called without options.', {
      hint: 'Pass { provider, model, messages }.',
    });
  if (typeof options.provider?.stream !== 'function')
    throw new KernelError('CONFIG_INVALID', 'run() was called without a provider.', {
      hint: 'Pass a Provider, for example createProvider({ name: "openai", … }) of @kernel/providers.',
    });
  if (typeof options.model !== 'string')
    throw new KernelError('CONFIG_INVALID', `run() was called with ${String(options.model)} as its model.`, {
      hint: 'Pass the name of a model.',
    });
  if (!Array.isArray(options.messages))
    throw new KernelError('CONFIG_INVALID', 'run() was called without an array of messages.', {
      hint: 'Pass messages: [{ role: "user", content: "…" }].',
    });
  const invalid = options.messages.findIndex((message: unknown) => !isMessage(message));
  if (invalid !== -1)
    throw new KernelError('CONFIG_INVALID', `messages[${invalid}] is not a message.`, {
      hint: 'A message has a role (system, user, assistant, tool) and content: text, or a list of parts.',
    });
  if (
    options.tools !== undefined &&
    (typeof options.tools.call !== 'function' || typeof options.tools.list !== 'function')
  )
    throw new KernelError('CONFIG_INVALID', 'run() was called with tools that are not a Toolset.', {
      hint: 'Pass createRegistry([…]) of @kernel/tools, not a list of tools.',
    });
  checkApprovalTimeout(options.approvalTimeoutMs);
  checkLimits(options.limits ?? {});
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('role' in value) || !('content' in value)) return false;
  if (!ROLES.has(value.role)) return false;
  if (Array.isArray(value.content)) return true;
  return typeof value.content === 'string' && value.role !== 'assistant';
}
