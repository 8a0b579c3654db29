import type { SessionEntry } from '@kernel/agent';
import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { AgentMode } from '@kernel/toolbox/agents';
import { type ChatSession, type ChatSessions, inMemory } from '../chat/conversation.ts';
import type { Invocation } from '../invocation.ts';
import { keepSession, type KeptSession } from '../sessions/keep-session.ts';
import type { SessionUsage } from '../sessions/open-session.ts';
import { saveMode } from './stored-sessions.ts';

/** Where the conversation of an editor's session is kept. */
export interface StoredConversation extends ChatSessions {
  /** The entries so far. */
  entries(): Promise<readonly SessionEntry[]>;
  /** What the session has used so far; undefined where it is not stored. */
  usage(): Promise<SessionUsage | undefined>;
  /** Keeps the mode that the session is in, if it is stored. */
  saveMode(mode: AgentMode): void;
  close(): Promise<void>;
}

/**
 * Opens the conversation of an editor's session under its id: one that is stored goes on, a fork begins with the entries of another, and a new one is stored from its first
 * message on, with the settings of that moment. Rejects with `SESSION_LOCKED` while another process has it open.
 */
export async function openStoredConversation(
  invocation: () => Invocation,
  id: string,
  { isStored, entries }: { readonly isStored: boolean; readonly entries?: readonly SessionEntry[] | undefined },
): Promise<StoredConversation> {
  let kept: KeptSession | undefined;
  let inThisProcess: ChatSession | undefined;
  const keepNew = (): Promise<KeptSession | undefined> => keepSession(invocation(), true, false, id);
  if (isStored)
    kept = await keepSession({ ...invocation(), flags: { ...invocation().flags, session: id } }, true).catch(
      (error: unknown) => {
        if (!KernelError.is(error, 'SESSION_LOCKED')) throw error;
        throw new KernelError(error.code, error.message, { hint: 'Close it there, or fork it here.', cause: error });
      },
    );
  else if (entries !== undefined) {
    kept = await keepNew();
    await kept?.session.append(entries);
  }
  const open = async (): Promise<ChatSession> => {
    if (kept === undefined && inThisProcess === undefined) kept = await keepNew();
    return kept ?? (inThisProcess ??= inMemory(entries));
  };
  return {
    open,
    /** The session goes on under its id; what it was before is kept as another one. */
    async fork(next) {
      if (kept === undefined) return (inThisProcess = inMemory(next));
      const copy = await keepSession(invocation(), true);
      await copy?.session.append(await kept.session.entries());
      await copy?.close();
      await kept.session.replace(next);
      return kept;
    },
    entries: async () => (kept ?? inThisProcess)?.session.entries() ?? entries ?? [],
    usage: async () => kept?.session.usage(),
    saveMode(mode) {
      const { host, output } = invocation();
      try {
        if (kept !== undefined) saveMode({ host }, id, mode);
      } catch (error) {
        output.note(`the mode of the session is not kept: ${errorMessage(error)}`);
      }
    },
    close: async () => kept?.close(),
  };
}
