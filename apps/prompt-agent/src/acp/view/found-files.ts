import { join } from 'node:path';
import { sliceHead } from '@kernel/internal';
import type { ToolCallLocation } from '@agentclientprotocol/sdk/unstable';

const MAX_FILES = 5;
/** The most characters of a result that are looked at. */
const MAX_TEXT = 100_000;

/** The first files that a search has found, by its result; none for any other call. */
export function foundFiles(name: string, result: string, folder: string): ToolCallLocation[] {
  if (name !== 'search_text' && name !== 'glob') return [];
  const found = new Map<string, ToolCallLocation>();
  for (const line of sliceHead(result, MAX_TEXT).split('\n')) {
    const [, path = '', number] = (name === 'glob' ? A_PATH : A_HIT).exec(line) ?? [];
    if (path !== '' && !found.has(path))
      found.set(path, { path: join(folder, path), ...(number !== undefined && { line: Number(number) }) });
    if (found.size === MAX_FILES) break;
  }
  return [...found.values()];
}

/** A line of `search_text` for a match. Sentences quote what they are about, and a name with a backslash may have been written out. */
const A_HIT = /^([^"\\:…(][^"\\:]{0,4000}):(\d{1,9}): /;
/** A line of `glob` for a file. */
const A_PATH = /^([^"\\…(][^"\\]{0,4000})$/;
