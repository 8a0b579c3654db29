import type { AgentContext, ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { ToolCall } from '@kernel/protocol';
import type { Output } from '../../output/output.ts';
import type { FileChanges } from '../view/file-changes.ts';
import type { ToolCalls } from '../view/tool-calls.ts';

/** What it takes to ask the editor of a session for something. */
export interface EditorConnection {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly sessionId: string;
}

/** What the questions of a session need to know of it. */
export interface EditorContext extends EditorConnection {
  readonly output: Output;
  /** Sends an update of the session that nothing waits for. */
  readonly notify: (update: SessionUpdate) => void;
  /** The folder of the session. */
  readonly folder: string;
  /** The calls of the turn that is under way; undefined between turns. */
  readonly calls: () => ToolCalls | undefined;
  /** What a call would change. */
  readonly changesOf: (call: ToolCall, signal: AbortSignal) => Promise<FileChanges>;
  /** Returns why the current mode denies a call, in spite of any rule or answer; `undefined` if it does not. */
  readonly refusal: (call: ToolCall) => string | undefined;
}
