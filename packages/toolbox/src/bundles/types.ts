import type { ToolImplementation } from '@kernel/protocol';
import type { PermissionRule } from '../permissions/types.ts';

/**
 * What a set of tools is allowed: `read-only` looks at files; `plan` also runs Git commands that only read, and says what it would do; `act` also changes
 * files and runs commands, each of which is asked about.
 */
export type BundleMode = 'read-only' | 'plan' | 'act';

/** Tools for one purpose, with how to use them and what they are allowed. */
export interface AgentBundle {
  /** Its name, such as `code_agent`. */
  readonly name: string;
  /** What it is for. */
  readonly description: string;
  /** A system prompt: how to work with these tools, and which commands this project has. */
  readonly instructions: string;
  /** The tools, for `createRegistry`. */
  readonly tools: readonly ToolImplementation[];
  /** What is allowed without a question, for `permissions`. */
  readonly rules: readonly PermissionRule[];
  /** What was looked for and is not there, one sentence each, for the user. */
  readonly missing: readonly string[];
  /** Ends what the tools have started. */
  close(): Promise<void>;
}
