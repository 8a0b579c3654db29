import { createUtf8Decoder } from '@kernel/internal';
import type { Workspace } from '../workspace/index.ts';

const CHUNK = 1_048_576;

/** Which lines of which file. */
interface Lines {
  readonly path: string;
  readonly size: number;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly numbered?: boolean | undefined;
  readonly maxLength: number;
  readonly signal: AbortSignal;
}

/** Lines of a text file, read in pieces, and a note on what follows them. */
export async function readLines(workspace: Workspace, lines: Lines): Promise<string> {
  const { limit = Infinity, numbered = false, maxLength, offset = 1, path, signal, size } = lines;
  const kept: string[] = [];
  let number = 0;
  let length = 0;
  let rest = '';
  const last = offset + limit - 1;
  /** Takes one line; false once nothing more is wanted. */
  const take = (line: string): boolean => {
    number += 1;
    if (number < offset) return true;
    const shown = numbered ? `${number}\t${line}` : line;
    length += shown.length + 1;
    if (number > last || length > maxLength) return false;
    kept.push(shown);
    return true;
  };
  const decoder = createUtf8Decoder();
  for (let at = 0; at < size; at += CHUNK) {
    const { bytes } = await workspace.read(path, { start: at, length: CHUNK, signal });
    const parts = (rest + decoder.write(bytes)).split('\n');
    rest = (parts.pop() ?? '').slice(0, maxLength);
    for (const line of parts) if (!take(line)) return more(kept, number, offset);
  }
  rest += decoder.end();
  if (rest !== '' && !take(rest)) return more(kept, number, offset);
  return kept.length === 0 ? `(There is no line ${offset}: the file has ${number}.)` : kept.join('\n');
}

function more(kept: readonly string[], next: number, offset: number): string {
  return kept.length === 0
    ? `(Line ${offset} is too long to show.)`
    : `${kept.join('\n')}\n… (more; continue with offset ${next})`;
}
