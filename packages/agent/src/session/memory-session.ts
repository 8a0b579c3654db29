import type { Session, SessionEntry } from './session.ts';

/** Creates a session in memory, optionally from the entries of another. */
export function createMemorySession(entries: readonly SessionEntry[] = [], id = 'memory'): Session {
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
