import { quote, toolError } from '../errors.ts';
import type { Change, ChangedPath, FileInfo } from '../types.ts';

export interface Step {
  readonly what: ChangedPath['what'] | 'link-removed';
  readonly path: string;
  readonly to?: string;
  /** The file or folder as it was; absent if there was none. Its bytes are kept apart. */
  readonly before?: Pick<FileInfo, 'mode' | 'version'>;
  /** The version that a file gets; absent until right before, so that without it nothing was done. */
  readonly after?: string;
  readonly target?: string;
}

export interface Entry {
  readonly id: string;
  readonly at: number;
  bytes: number;
  /** The steps, in order. Those that were reverted are removed. */
  readonly steps: Step[];
  /** Whether the rest of it cannot be read, so that it cannot be taken back. */
  readonly isDamaged?: true;
}

export type Line =
  | { readonly type: 'step'; readonly step: Step; readonly bytes: number }
  | { readonly type: 'done'; readonly index: number; readonly after: string }
  | { readonly type: 'forget' };

export function applyLine(entry: Entry, line: Line): void {
  if (line.type === 'forget') entry.steps.pop();
  else if (line.type === 'step') {
    entry.steps.push(line.step);
    entry.bytes += line.bytes;
  } else {
    const step = entry.steps[line.index];
    if (step !== undefined) entry.steps[line.index] = { ...step, after: line.after };
  }
}

/** Where a journal keeps its entries. What a call wrote is there when it returns, also after a crash. */
export interface JournalStore {
  load(): readonly Entry[];
  /** Begins an entry; false if there is one with this id. */
  create(id: string, at: number): boolean;
  append(id: string, line: Line): void;
  keep(id: string, step: number, bytes: Uint8Array): Promise<void>;
  kept(id: string, step: number): Promise<Uint8Array>;
  drop(id: string): void;
  /** Keeps an entry and its bytes under other names, by which they are not loaded. */
  setAside(id: string): void;
  clear(): void;
}

/** What `undo` needs: every change since the run began, bounded in bytes. */
export type Journal = ReturnType<typeof createJournal>;

export function createJournal(store: JournalStore, maxBytes: number) {
  let entries: Entry[] = [];
  let isLoaded = false;
  let last = 0;
  const made = new Set<string>();
  const loaded = (): Entry[] => {
    if (isLoaded) return entries;
    isLoaded = true;
    entries = [...store.load()];
    last = Math.max(0, ...entries.map(({ id }) => Number(id)));
    for (const { steps } of entries) for (const { after } of steps) if (after !== undefined) made.add(after);
    return entries;
  };
  const find = (id: string): Entry => {
    const entry = loaded().find((each) => each.id === id);
    if (entry === undefined) throw toolError(`There is no change ${quote(id)} to take back.`);
    return entry;
  };
  const add = (entry: Entry, line: Line): void => {
    store.append(entry.id, line);
    applyLine(entry, line);
    if (line.type === 'done') made.add(line.after);
  };
  const drop = (id: string): void => {
    entries = entries.filter((each) => each.id !== id);
    store.drop(id);
  };
  const makeRoom = (id: string, more: number): void => {
    if (find(id).bytes + more > maxBytes)
      throw toolError(
        `What would be replaced or removed has more than the ${maxBytes} bytes that are kept to take changes back. Change less at once.`,
      );
    while (loaded().reduce((sum, { bytes }) => sum + bytes, more) > maxBytes) {
      const oldest = entries.find((each) => each.id !== id);
      if (oldest === undefined) return;
      drop(oldest.id);
    }
  };

  return {
    entries: loaded,
    begin: (): string => {
      loaded();
      for (;;) {
        last += 1;
        const entry: Entry = { id: String(last).padStart(4, '0'), at: Date.now(), bytes: 0, steps: [] };
        if (!store.create(entry.id, entry.at)) continue;
        entries.push(entry);
        return entry.id;
      }
    },
    /** Notes a step before it is done; `bytes` is what it replaces. Rejects if that is more than is kept. Resolves to its number. */
    note: async (id: string, step: Step, bytes?: Uint8Array): Promise<number> => {
      const size = bytes?.length ?? 0;
      makeRoom(id, size);
      const number = find(id).steps.length;
      if (bytes !== undefined) await store.keep(id, number, bytes);
      add(find(id), { type: 'step', step, bytes: size });
      return number;
    },
    /** Notes the version that the path of a step gets, right before it has it. */
    done: (id: string, index: number, after: string): void => add(find(id), { type: 'done', index, after }),
    /** Removes the last step of a change: it was reverted, or never done. A change without steps is removed. */
    forgetLast: (id: string): void => {
      const entry = find(id);
      if (entry.steps.length <= 1) drop(id);
      else add(entry, { type: 'forget' });
    },
    kept: (id: string, number: number): Promise<Uint8Array> => store.kept(id, number),
    /** Tells earlier steps that the state of a file with one version has another now, because it was brought back. */
    relabel: (from: string, to: string): void => {
      // Most files that are brought back were never written here, and there may be many of them.
      if (!made.has(from)) return;
      for (const entry of loaded()) {
        for (const [index, { after }] of entry.steps.entries())
          if (after === from) add(entry, { type: 'done', index, after: to });
      }
    },
    /** Forgets an entry that is damaged; what there is of it stays. */
    setAside: (id: string): void => {
      entries = entries.filter((each) => each.id !== id);
      store.setAside(id);
    },
    clear: (): void => {
      entries = [];
      store.clear();
    },
  };
}

export function memoryStore(): JournalStore {
  const bytes = new Map<string, Uint8Array>();
  return {
    setAside: () => {},
    load: () => [],
    create: () => true,
    append: () => {},
    keep: async (id, step, content) => void bytes.set(`${id}.${step}`, content),
    kept: async (id, step) => bytes.get(`${id}.${step}`) ?? new Uint8Array(),
    drop: (id) => {
      for (const key of bytes.keys()) if (key.startsWith(`${id}.`)) bytes.delete(key);
    },
    clear: () => bytes.clear(),
  };
}

export function changeOf({ id, at, steps }: Entry): Change {
  return {
    id,
    at,
    paths: steps.map(({ what, path, to }) => ({
      path,
      what: what === 'link-removed' ? 'removed' : what,
      ...(to === undefined ? {} : { to }),
    })),
  };
}
