import type { Message, ToolEffect } from '@kernel/protocol';

/** One entry of a session's log. Append-only: nothing that was written is ever changed. */
export type SessionEntry =
  | { readonly type: 'message'; readonly message: Message }
  /** A call is about to run: written before its handler is entered, so that a crash cannot hide it. */
  | { readonly type: 'call-start'; readonly callId: string; readonly name: string; readonly effect: ToolEffect };

/** A conversation that outlives its process. One writer at a time. */
export interface Session {
  /** What names it: an id or a path. */
  readonly id: string;
  /** The log so far, in order. */
  entries(): Promise<readonly SessionEntry[]>;
  /** Adds entries, all of them or none; resolves when they are written as safely as the session promises. */
  append(entries: readonly SessionEntry[]): Promise<void>;
  /** Lets others write. Calling it twice is harmless. */
  close(): Promise<void>;
}
