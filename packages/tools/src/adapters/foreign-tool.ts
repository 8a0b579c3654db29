import type { ToolEffect } from '@kernel/protocol';
import type { BindingOptions } from '../tool/binding.ts';

/** What a tool of another library does not say about itself. */
export interface ForeignToolOptions extends BindingOptions<object> {
  /**
   * What a call changes in the world. Without it, a tool counts as `external` wherever retry or approval is decided, and a call for which the tool's
   * own `needsApproval` holds is denied unless it was approved. With it, the effect alone decides which calls need approval.
   */
  readonly effect?: ToolEffect | undefined;
}
