import type { Session, SessionEntry } from './session.ts';

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
