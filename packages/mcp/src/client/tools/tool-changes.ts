import { canonicalJson } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import type { RemoteTool } from './remote-tool.ts';

/** What changed in a server's tools since they were approved. Reported before any of it is used. */
export interface McpToolsChange {
  /** Distinguishes this from other events of a program. */
  readonly type: 'tools-changed';
  /** The name of the server in the config. */
  readonly server: string;
  /** New tools. */
  readonly added: readonly Tool[];
  /** The names, on the server, of tools that no longer exist. They are not on offer, whatever the decision is. */
  readonly removed: readonly string[];
  /** Tools whose definition differs from the approved one. */
  readonly changed: readonly McpToolChange[];
}

/** One tool whose definition differs from the approved one. */
export interface McpToolChange {
  /** The name on the server. */
  readonly name: string;
  /** The fields that differ; empty if only the hash of the approved definition is known. */
  readonly fields: readonly (keyof Tool)[];
  /** The definition that was approved last, even if others were refused since. Absent if only its hash is known. */
  readonly before?: Tool;
  /** The definition that needs a decision. */
  readonly after: Tool;
}

/** Decides on a change: true approves it, false keeps added and changed tools off the list. A rejection counts as false. */
export type ApproveTools = (change: McpToolsChange) => boolean | Promise<boolean>;

const FIELDS = ['title', 'description', 'parameters', 'outputSchema', 'effect', 'metadata'] as const;

export function toToolChange({ name, tool }: RemoteTool, approved: RemoteTool | undefined): McpToolChange {
  if (approved === undefined) return { name, fields: [], after: tool };
  const before = approved.tool;
  const fields = FIELDS.filter((field) => canonicalJson(before[field] ?? null) !== canonicalJson(tool[field] ?? null));
  return { name, fields, before, after: tool };
}
