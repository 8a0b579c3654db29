import { KernelError, toErrorResult, type ToolContext, type ToolEffect } from '@kernel/protocol';
import type { BindingOptions, ToolHandler } from '../tool/binding.ts';

/** What a tool of another library does not say about itself. */
export interface ForeignToolOptions extends BindingOptions<object> {
  /**
   * What a call changes in the world. Without it, a tool counts as `external` wherever retry or approval is decided, and a call for which the tool's
   * own `needsApproval` holds is denied unless it was approved. With it, the effect alone decides which calls need approval.
   */
  readonly effect?: ToolEffect | undefined;
}

/** What another library asks before a call of its tool runs. */
export interface CallChecks {
  readonly isEnabled?: ((context: ToolContext) => unknown) | undefined;
  /** Whether somebody must approve the call. Gets the validated input. */
  readonly needsApproval?: ((input: object, context: ToolContext) => unknown) | undefined;
}

/** Returns a handler that denies what the checks do not allow: a tool that is not enabled, and a call that needs an approval and has none. */
export function withCallChecks(name: string, handler: ToolHandler<object>, checks: CallChecks): ToolHandler<object> {
  const { isEnabled, needsApproval } = checks;
  if (isEnabled === undefined && needsApproval === undefined) return handler;
  return async function* checked(input, context) {
    if (isEnabled !== undefined && (await isEnabled(context)) !== true)
      return toErrorResult(new KernelError('TOOL_DENIED', `"${name}" is not enabled.`), 'denied');
    if (context.approved === undefined && (await needsApproval?.(input, context)) === true)
      return toErrorResult(needsApprovalError(name), 'denied');
    const returned: unknown = await handler(input, context);
    return isAsyncIterable(returned) ? yield* returned : returned;
  };
}

function needsApprovalError(name: string): KernelError {
  return new KernelError('TOOL_DENIED', `"${name}" says that this call needs an approval, and nobody was asked.`, {
    hint: 'Give the run an `approve`, or the adapter an `effect`, which then decides.',
  });
}

/** Whether a handler reports progress. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
