import { KernelError, toErrorResult, type ToolContext, type ToolEffect } from '@kernel/protocol';
import type { BindingOptions, ToolBinding, ToolHandler } from '../tool/binding.ts';

/** What a tool of another library does not say about itself. */
export interface ForeignToolOptions extends BindingOptions<object> {
  /**
   * What a call changes in the world. Without it, a tool counts as `external` wherever retry or approval is decided, and a call for which the tool's
   * own `needsApproval` holds never runs unasked. With it, the effect alone decides which calls need approval.
   */
  readonly effect?: ToolEffect | undefined;
}

/** Returns a tool whose calls never run unasked where its library says so. Without the check, the tool is returned as it is. */
export function withApprovalCheck<Binding extends ToolBinding>(
  binding: Binding,
  needsApproval: ToolBinding['input']['needsApproval'],
): Binding {
  return needsApproval === undefined
    ? binding
    : Object.freeze({ ...binding, input: Object.freeze({ ...binding.input, needsApproval }) });
}

/** Returns a handler that denies the calls of a tool that is not enabled. */
export function withEnabledCheck(
  name: string,
  handler: ToolHandler<object>,
  isEnabled: ((context: ToolContext) => unknown) | undefined,
): ToolHandler<object> {
  if (isEnabled === undefined) return handler;
  return async function* checked(input, context) {
    if ((await isEnabled(context)) !== true)
      return toErrorResult(new KernelError('TOOL_DENIED', `"${name}" is not enabled.`), 'denied');
    const returned: unknown = await handler(input, context);
    return isAsyncIterable(returned) ? yield* returned : returned;
  };
}

/** Whether a handler reports progress. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
