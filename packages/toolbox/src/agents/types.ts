import type { ToolWithHandler } from '@kernel/protocol';
import type { PermissionRule } from '../permissions/types.ts';

/**
 * What a set of tools may do: `read-only` reads files; `plan` also runs read-only Git commands, and describes what it would do; `act` also changes
 * files and runs commands, each of which needs approval.
 */
export type AgentMode = 'read-only' | 'plan' | 'act';

/** Tools for one purpose, with instructions and permission rules. */
export interface AgentSetup {
  /** Its name, such as `code_agent`. */
  readonly name: string;
  /** What the agent is for. */
  readonly description: string;
  /** A system prompt: how to work with these tools, and which commands this project has. */
  readonly instructions: string;
  /** The tools, for `createRegistry`. */
  readonly tools: readonly ToolWithHandler[];
  /** What is allowed without asking, as rules for `permissions`. */
  readonly rules: readonly PermissionRule[];
  /** What was not found, one sentence each, for the user. */
  readonly missing: readonly string[];
  /** Stops whatever the tools have started. */
  close(): Promise<void>;
}
