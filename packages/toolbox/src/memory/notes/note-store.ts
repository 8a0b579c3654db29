import { parseJson } from '@kernel/internal';
import { quote, toolError, unlessMissing } from '../../workspace/errors.ts';
import type { MemoryFiles } from '../memory-files.ts';
import type MiniSearch from 'minisearch';
import { randomBytes } from 'node:crypto';

const FOLDER = 'notes';
const ID = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,120}$/u;

interface Known {
  readonly note: Note;
  readonly version: string;
}

export function noteStore(files: MemoryFiles) {
  const { workspace } = files;
  const index = createNoteIndex();
  const known = new Map<string, Known>();

  const load = async (id: string, signal: AbortSignal): Promise<Note | undefined> => {
    try {
      const path = pathOf(id);
      const { version } = await workspace.stat(path, { signal });
      const before = known.get(id);
      if (before?.version === version) return before.note;
      const { bytes, ...info } = await workspace.read(path, { length: files.maxFileBytes, signal });
      const note = readNote(id, new TextDecoder().decode(bytes), info.modifiedMs);
      known.set(id, { note, version: info.version });
      return note;
    } catch (error) {
      // Another process removed it, or it is not a file that may be read.
      if (signal.aborted) throw error;
      known.delete(id);
      return undefined;
    }
  };

  const loadAll = async (signal: AbortSignal): Promise<ReadonlyMap<string, Note>> => {
    const entries = (await unlessMissing(files.entries(FOLDER, signal))) ?? [];
    const notes = new Map<string, Note>();
    for (const { isFolder, path } of entries) {
      const id = path.slice(FOLDER.length + 1, -'.md'.length);
      if (isFolder || !path.endsWith('.md') || !ID.test(id)) continue;
      const note = await load(id, signal);
      if (note !== undefined) notes.set(id, note);
    }
    for (const id of known.keys()) if (!notes.has(id)) known.delete(id);
    return notes;
  };

  return {
    async add(text: string, tags: readonly string[], signal: AbortSignal): Promise<Note> {
      const now = new Date();
      const note = { id: newNoteId(now), text, tags, time: now.toISOString() };
      const path = pathOf(note.id);
      await files.exclusive(path, () => files.write(path, writeNote(note), 'absent', signal), signal);
      return note;
    },
    /** The notes with a word of the query, best first; all, newest first, without one. */
    async find(query: string, signal: AbortSignal): Promise<readonly Note[]> {
      const notes = await loadAll(signal);
      if (query.trim() === '')
        return [...notes.values()].toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
      await index.update(notes);
      return index.search(query).flatMap((id) => notes.get(id) ?? []);
    },
    remove: (id: string, signal: AbortSignal): Promise<Note> =>
      files.exclusive(
        pathOf(id),
        async () => {
          const note = await load(id, signal);
          if (note === undefined) throw toolError(`There is no note ${quote(id)}. recall tells the ids.`);
          await workspace.remove(pathOf(id), { signal });
          known.delete(id);
          return note;
        },
        signal,
      ),
  };
}

function pathOf(id: string): string {
  if (!ID.test(id)) throw toolError(`${quote(id)} is not the id of a note. recall tells the ids.`);
  return `${FOLDER}/${id}.md`;
}

/** Creates an index. The search library is loaded at the first update. */
function createNoteIndex() {
  let index: MiniSearch<Note> | undefined;
  let indexed: ReadonlyMap<string, Note> = new Map();
  return {
    /** Takes the notes as they are now, by id; only what differs is indexed again. */
    async update(notes: ReadonlyMap<string, Note>): Promise<void> {
      index ??= await create();
      for (const [id, note] of indexed) if (notes.get(id) !== note) index.discard(id);
      for (const [id, note] of notes) if (indexed.get(id) !== note) index.add(note);
      indexed = new Map(notes);
    },
    search: (query: string): readonly string[] => index?.search(query).map(({ id }) => String(id)) ?? [],
  };
}

async function create(): Promise<MiniSearch<Note>> {
  const { default: Search } = await import('minisearch');
  return new Search<Note>({
    fields: ['text', 'tags'],
    extractField: (note, name) => (name === 'id' ? note.id : name === 'tags' ? note.tags.join(' ') : note.text),
    tokenize: wordsOf,
    searchOptions: { prefix: (word) => word.length > 3, boost: { tags: 2 } },
  });
}

/** The words of a text; each character of scripts that put no spaces between words. */
function wordsOf(text: string): string[] {
  return (
    text.normalize('NFKC').match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly time: string;
}

const HEAD = /^---\ntime: ([\d:.TZ+-]{10,40})\ntags: (\[[^\n]{0,8000}\])\n---\n/;

/** A name for a new note: by time, and never that of another one, whichever process gave it. */
function newNoteId(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}-${randomBytes(6).toString('hex')}`;
}

function writeNote({ tags, text, time }: Note): string {
  return `---\ntime: ${time}\ntags: ${JSON.stringify(tags)}\n---\n${text}`;
}

/** Reads the file of a note. One that somebody wrote by hand, without a head, is all text. */
function readNote(id: string, content: string, modifiedMs: number): Note {
  const [head, time, json] = HEAD.exec(content) ?? [];
  const tags = parseTags(json);
  if (head === undefined || time === undefined || tags === undefined || Number.isNaN(Date.parse(time)))
    return { id, text: content, tags: [], time: new Date(modifiedMs).toISOString() };
  return { id, text: content.slice(head.length), tags, time };
}

function parseTags(json = ''): readonly string[] | undefined {
  const value = parseJson(json);
  return Array.isArray(value) && value.every((tag) => typeof tag === 'string') ? value : undefined;
}
