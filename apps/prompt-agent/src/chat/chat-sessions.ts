import { createMemorySession, type SessionEntry } from '@kernel/agent';
import type { Invocation } from '../invocation.ts';
import { keepSession, type KeptSession } from '../sessions/keep-session.ts';

/** A conversation of a chat, and where its runs are kept. */
export type ChatSession = Pick<KeptSession, 'session' | 'start' | 'record' | 'close'>;

/** Where the conversations of a chat are kept. */
export interface ChatSessions {
  /** Opens the conversation that the chat goes on with. */
  open(): Promise<ChatSession>;
  /** Makes a new conversation of some entries of another one, for a message that is asked again or a history that is compacted. */
  fork(entries: readonly SessionEntry[]): Promise<ChatSession>;
}

/** Conversations in the sessions of the program; those that cannot be kept, or shall not, end with it. */
export function keptSessions(invocation: Invocation): ChatSessions {
  const { continue: _continued, session: _named, ...flags } = invocation.flags;
  return {
    open: async () => (await keepSession(invocation, true)) ?? inMemory(),
    async fork(entries) {
      const next = await keepSession({ ...invocation, flags }, true);
      if (next === undefined) return inMemory(entries);
      await next.session.append(entries);
      return next;
    },
  };
}

function inMemory(entries?: readonly SessionEntry[]): ChatSession {
  const session = createMemorySession(entries);
  return { session, start: () => undefined, record: () => undefined, close: () => session.close() };
}
