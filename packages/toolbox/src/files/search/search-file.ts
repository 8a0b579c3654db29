import { sliceHead, sliceTail, visibleLine } from '@kernel/internal';
import { createFormatDecoder, decodeText, type TextFormat } from '../../text/encoding.ts';
import { createEventLoopYield } from '../../workspace/event-loop.ts';
import type { FileContent, Workspace } from '../../workspace/index.ts';
import type { Matcher } from './matcher.ts';
import type { Skipped } from './skipped.ts';

export const READ_BYTES = 1_048_576;
/** The longest line that is looked at as a whole, in characters. A longer one is looked at in parts that overlap. */
const MAX_WHOLE_LINE = 4 * READ_BYTES;
const OVERLAP = 65_536;
const MAX_SHOWN = 200;
const BEFORE_MATCH = 50;

interface SearchedFile {
  readonly path: string;
  readonly content: FileContent;
  readonly format: TextFormat;
}

interface Reading {
  readonly signal: AbortSignal;
  readonly skipped: Skipped;
}

/** Yields `path:line: text` for each line that matches, in bounded memory whatever the size of the file. */
export async function* searchFile(
  workspace: Workspace,
  file: SearchedFile,
  matcher: Matcher,
  reading: Reading,
): AsyncGenerator<string> {
  const { content, format, path } = file;
  const blocks =
    content.size <= content.bytes.length
      ? [{ text: decodeText(content.bytes, format), line: 1, column: 1 }]
      : lineBlocks(decodedPieces(workspace, file, reading));
  const letEventsRun = createEventLoopYield();
  let lastLine = 0;
  for await (const block of blocks) {
    for (const { at, line, text } of matcher(block.text, path)) {
      const number = block.line + line - 1;
      if (number === lastLine) continue;
      lastLine = number;
      yield `${visibleLine(path)}:${number}: ${excerpt(text, at, at + (line === 1 ? block.column : 1))}`;
    }
    await letEventsRun();
  }
}

interface LineBlock {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

async function* decodedPieces(
  workspace: Workspace,
  { content, format, path }: SearchedFile,
  { signal, skipped }: Reading,
): AsyncGenerator<string> {
  const decoder = createFormatDecoder(format);
  yield decoder.write(content.bytes.subarray(format.bomLength));
  for (let start = content.bytes.length; start < content.size; start += READ_BYTES) {
    const next = await workspace.read(path, { start, length: READ_BYTES, signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      skipped.addUnreadable(error);
    });
    if (next === undefined) return;
    yield decoder.write(next.bytes);
  }
  yield decoder.end();
}

async function* lineBlocks(pieces: AsyncIterable<string>): AsyncGenerator<LineBlock> {
  let rest = '';
  let line = 1;
  let column = 1;
  for await (const piece of pieces) {
    const end = piece.lastIndexOf('\n');
    if (end !== -1) {
      const text = rest + piece.slice(0, end + 1);
      yield { text, line, column };
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) line += 1;
      column = 1;
      rest = piece.slice(end + 1);
      continue;
    }
    rest += piece;
    if (rest.length <= MAX_WHOLE_LINE) continue;
    yield { text: rest, line, column };
    const kept = sliceTail(rest, OVERLAP);
    column += rest.length - kept.length;
    rest = kept;
  }
  if (rest !== '') yield { text: rest, line, column };
}

/** A line without the white space around it; of a long one the part around the match, with the column that leads there. */
function excerpt(line: string, at: number, column: number): string {
  const text = line.trim();
  if (text.length <= MAX_SHOWN) return text.toWellFormed();
  const match = at - (line.length - line.trimStart().length);
  if (match + BEFORE_MATCH <= MAX_SHOWN) return `${sliceHead(text, MAX_SHOWN).toWellFormed()}… (column ${column})`;
  const shown = sliceTail(sliceHead(text, match - BEFORE_MATCH + MAX_SHOWN), MAX_SHOWN);
  return `…${shown.toWellFormed()}… (column ${column})`;
}
