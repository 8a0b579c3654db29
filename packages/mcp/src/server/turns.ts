import type { Conversation, Toolset } from '@kernel/protocol';
import { messageOf } from './protocol-error.ts';

/** How long a toolset may take to settle what it offers. */
const BEGIN_TURN_MS = 30_000;

/** The turns of one client, or of all clients that have no session. MCP has none: each `tools/list` counts as one. */
export interface Turns {
  /** True while a turn begins: what changes then is part of the list that follows. */
  isBeginning(): boolean;
  /** Begins the next turn. Rejects with what went wrong, after 30 s, or when the signal aborts. */
  begin(signal: AbortSignal, conversation: Conversation | undefined): Promise<void>;
  /** Begins the first turn for a client that calls without having listed. Never rejects: the call will say what is wrong. */
  ensureBegun(signal: AbortSignal, conversation: Conversation | undefined): Promise<void>;
}

/** Creates the turns of a toolset. */
export function createTurns(toolset: Toolset): Turns {
  let count = 0;
  let beginning = 0;
  const begin: Turns['begin'] = async (signal, conversation) => {
    count += 1;
    if (toolset.beginTurn === undefined) return;
    beginning += 1;
    const { promise: over, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`it took longer than ${BEGIN_TURN_MS} ms`)), BEGIN_TURN_MS);
    const onAbort = (): void => reject(new Error('the client cancelled the request'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const turn = { turn: count, conversation, signal };
      await Promise.race([new Promise<void>((resolve) => resolve(toolset.beginTurn?.(turn))), over]);
    } catch (error) {
      throw new Error(`beginTurn() of the toolset failed: ${messageOf(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      beginning -= 1;
    }
  };
  return {
    isBeginning: () => beginning > 0,
    begin,
    async ensureBegun(signal, conversation) {
      if (count === 0) await begin(signal, conversation).catch(() => {});
    },
  };
}
