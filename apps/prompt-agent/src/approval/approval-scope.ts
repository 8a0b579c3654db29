import type { ToolCall } from '@kernel/protocol';
import type { PermissionRule, Permissions } from '@kernel/toolbox/permissions';
import type { CommandSetting, ToolOrigin } from '../questions/show-call.ts';

/** What a call would change: its diff, or the sentence that says why it would fail. */
export type ChangePreview = { readonly diff: string } | { readonly failure: string };

/** What an answer may do beyond the one call. */
export interface ApprovalScope {
  /** Adds a rule for the rest of this process. */
  readonly remember: Permissions['remember'];
  /** The user's own rules: where they are, and how one is added. */
  readonly userRules: { readonly path: string; add(rule: PermissionRule): Promise<void> };
  /** Finds out what a call would change, which is shown in place of its arguments. */
  readonly preview?: ((call: ToolCall, signal: AbortSignal) => Promise<ChangePreview | undefined>) | undefined;
  readonly commands?: (() => Promise<CommandSetting | undefined>) | undefined;
  /** Says whose a tool of an MCP server is. */
  readonly origin?: ((tool: string) => ToolOrigin | undefined) | undefined;
}
