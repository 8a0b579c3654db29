import { randomBytes } from 'node:crypto';

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly time: string;
}

const HEAD = /^---\ntime: ([\d:.TZ+-]{10,40})\ntags: (\[[^\n]{0,8000}\])\n---\n/;

/** A name for a new note: by time, and never that of another one, whichever process gave it. */
export function newNoteId(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}-${randomBytes(6).toString('hex')}`;
}

export function writeNote({ tags, text, time }: Note): string {
  return `---\ntime: ${time}\ntags: ${JSON.stringify(tags)}\n---\n${text}`;
}

/** Reads the file of a note. One that somebody wrote by hand, without a head, is all text. */
export function readNote(id: string, content: string, modifiedMs: number): Note {
  const [head, time, json] = HEAD.exec(content) ?? [];
  const tags = parseTags(json);
  if (head === undefined || time === undefined || tags === undefined || Number.isNaN(Date.parse(time)))
    return { id, text: content, tags: [], time: new Date(modifiedMs).toISOString() };
  return { id, text: content.slice(head.length), tags, time };
}

function parseTags(json: string | undefined): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return Array.isArray(value) && value.every((tag) => typeof tag === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}
