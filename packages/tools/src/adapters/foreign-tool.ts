import type { ToolEffect } from '@kernel/protocol';
import type { BindingOptions } from '../tool/binding.ts';

/** What a tool of another library does not say of itself. */
export interface ForeignToolOptions extends BindingOptions<object> {
  /** What a call changes in the world. Without it, a tool counts as `external` wherever retry or approval is decided. */
  readonly effect?: ToolEffect | undefined;
}
