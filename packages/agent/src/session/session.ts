import type { KernelErrorCode, Message, SuspendedCall, ToolEffect, ToolOutcome } from '@kernel/protocol';

/** One entry of a session's log. The log is append-only: a written entry never changes. */
export type SessionEntry =
  | MessageEntry
  /** A call is about to run. Written before its handler is entered, so that a crash cannot hide it. */
  | { readonly type: 'call-start'; readonly callId: string; readonly name: string; readonly effect: ToolEffect }
  /** Calls that wait: they were decided on but have not run, or an agent of theirs waits. The last entry of a call counts. */
  | { readonly type: 'suspended'; readonly calls: readonly SuspendedCall[] }
  /** Entries that stood here cannot be read. A call that was open then counts as started, so that it does not run a second time. */
  | { readonly type: 'lost' };

/** A message of the history, with facts that the message itself does not have. */
export interface MessageEntry {
  readonly type: 'message';
  /** The message. */
  readonly message: Message;
  /** How the call of a result ended, if not as `done`. */
  readonly outcome?: ToolOutcome;
  /** The kind of error of a result. */
  readonly code?: KernelErrorCode;
  /** Whether the run itself asked the model to correct its typed answer; nobody wrote the message. */
  readonly isCorrection?: true;
}

/** A conversation that outlives its process. One writer at a time. */
export interface Session {
  /** Identifies the conversation, in every process that opens it: the idempotency keys of its calls are derived from it. */
  readonly id: string;
  /** Resolves to the log so far, in order. */
  entries(): Promise<readonly SessionEntry[]>;
  /** Appends entries, all of them or none; resolves once they are written as durably as the session promises. */
  append(entries: readonly SessionEntry[]): Promise<void>;
  /** Lets other writers open the session. May be called twice. */
  close(): Promise<void>;
}

/** Creates a session in memory, optionally from the entries and the id of another. The default id is random. */
export function createMemorySession(entries: readonly SessionEntry[] = [], id: string = crypto.randomUUID()): Session {
  const log = [...entries];
  return {
    id,
    entries: () => Promise.resolve([...log]),
    append: (added) => {
      log.push(...added);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
