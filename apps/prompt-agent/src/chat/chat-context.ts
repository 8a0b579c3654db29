import type { OpenAgent } from '../agent/open-agent.ts';
import type { Invocation } from '../invocation.ts';
import type { Conversation } from './conversation.ts';

/** What a command of a chat works with. */
export interface ChatContext {
  readonly conversation: Conversation;
  readonly agent: OpenAgent;
  readonly invocation: Invocation;
  readonly signal: AbortSignal;
  /** Completes the answers to questions, where a line editor can. */
  readonly answers?: { complete(by: ((typed: string) => Promise<readonly string[]>) | undefined): void };
}
