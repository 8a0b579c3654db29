import type * as sdk from '@agentclientprotocol/sdk/unstable';
import type {
  CallContext,
  FinishReason,
  KernelError,
  RunningCall,
  ToolCall,
  ToolResult,
  Usage,
} from '@kernel/protocol';
import type { WorkspaceCopy } from '../copy/copy-workspace.ts';
import type { Decision } from '../requests/decisions.ts';
import type { AgentOutput } from './updates.ts';

/** The SDK of the protocol, which is loaded with the first call. */
export type Sdk = typeof sdk;

/** What comes of an agent, in order. After an `end` or an `error` comes nothing. */
export type SessionEvent =
  | AgentOutput
  /** It asks for something that is to be decided on. */
  | { readonly type: 'request'; readonly call: ToolCall }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: Usage | undefined }
  | { readonly type: 'error'; readonly error: KernelError };

/** An agent at work on one task. */
export interface AgentSession {
  readonly copy: WorkspaceCopy;
  /** Removes and returns what came first; undefined if there is nothing now. */
  next(): SessionEvent | undefined;
  /** Resolves when there is something to return. */
  untilReady(): Promise<void>;
  /** Whether a request still waits for a decision. */
  isWaiting(callId: string): boolean;
  /** The most tokens that its context held, if the agent tells them. */
  contextTokens(): number | undefined;
  /** Answers a request for permission, or refuses a command. One that was answered before stays answered. */
  decide(callId: string, decision: Decision): void;
  /** Runs a command that was decided on; resolves with its end, or when the agent wants something else meanwhile. */
  runCommand(call: ToolCall, context: CallContext & RunningCall): Promise<ToolResult>;
  /** Ends the agent and its commands. The copy stays. */
  endWork(): Promise<void>;
  /** Takes the task back if it is not done, and gives the agent a moment to end its turn. Resolves to what that has used, if the agent tells it. */
  cancel(): Promise<Usage | undefined>;
  /** Takes the task back if it is not done, ends the agent and its commands, and removes the copy. */
  close(): Promise<void>;
}
