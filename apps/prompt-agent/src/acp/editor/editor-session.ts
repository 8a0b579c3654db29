import type { AgentContext, ClientCapabilities } from '@agentclientprotocol/sdk/unstable';
import type { ToolCall } from '@kernel/protocol';
import type { Output } from '../../output/output.ts';
import type { FileChange } from '../view/file-changes.ts';
import type { ToolCalls } from '../view/tool-calls.ts';

/** What the questions of a session need to know of it. */
export interface EditorSession {
  readonly client: AgentContext;
  readonly output: Output;
  readonly capabilities: ClientCapabilities;
  readonly sessionId: string;
  /** The folder of the session. */
  readonly folder: string;
  /** The calls of the turn that is under way; undefined between turns. */
  readonly calls: () => ToolCalls | undefined;
  /** What a call would change. */
  readonly changesOf: (call: ToolCall, signal: AbortSignal) => Promise<readonly FileChange[]>;
  /** Removes secrets from what is sent. */
  readonly redact: <Value>(value: Value) => Value;
}
