import type { Session, SessionEntry } from './session.ts';

/** Makes a session that lives in memory, optionally from entries of another. */
export function createMemorySession(entries: readonly SessionEntry[] = [], id = 'memory'): Session {
  const log = [...entries];
  return {
    id,
    entries: () => Promise.resolve([...log]),
    append: (more) => {
      log.push(...more);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
