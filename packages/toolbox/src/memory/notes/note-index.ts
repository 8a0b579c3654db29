import type MiniSearch from 'minisearch';
import type { Note } from './note-file.ts';

/** Creates an index. The search library is loaded at the first update. */
export function createNoteIndex() {
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
