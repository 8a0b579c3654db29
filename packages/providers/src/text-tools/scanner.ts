import type { Tool } from '@kernel/protocol';
import type { CallReader, EndFinder, PrintedCall, TextFormat } from './format.ts';

/** Hears what a scanner finds, in the order of the text. */
export interface ScanListener {
  text(piece: string): void;
  call(call: PrintedCall): void;
}

/** Separates calls from text while it comes in. What it finds depends on the whole text alone. */
export interface Scanner {
  push(piece: string): void;
  /** Gives out what was held back: markup that never ended is text. The scanner is then as new. */
  end(): void;
}

const WHITE = ['\n', '\r', ' ', '\t'];

/** How many marks may turn out to begin nothing: behind that the rest of a reply is text. */
const MAX_FAILED = 5_000;

/** Creates a scanner for calls of the given tools. Markup that is broken, unfinished or names another tool stays text, every character of it. */
export function createScanner(
  format: Pick<TextFormat, 'readers' | 'layout'>,
  tools: ReadonlyMap<string, Tool>,
  listener: ScanListener,
): Scanner {
  const behindCalls = [...WHITE, ...(format.layout ?? [])];
  const findMark = createMarkFinder(format.readers);
  let buffer = '';
  let region: { readonly reader: CallReader; readonly find: EndFinder } | undefined;
  // At an edge (the start, or behind a call) white space is held: it is text only if text follows.
  let edge = true;
  let edgeText = '';
  let found = false;
  let lineStart = true;
  let failed = 0;

  function giveText(piece: string): void {
    if (piece === '') return;
    listener.text(edgeText + piece);
    edgeText = '';
    edge = false;
    lineStart = /(?:^|\n)[ \t]*$/.test(piece) && (lineStart || piece.includes('\n'));
  }

  function takeEdge(atEnd: boolean): boolean {
    const layout = found ? behindCalls : WHITE;
    for (;;) {
      const mark = layout.find((candidate) => buffer.startsWith(candidate));
      if (mark === undefined) break;
      edgeText += mark;
      buffer = buffer.slice(mark.length);
      if (mark === '\n' || found) lineStart = true;
    }
    return !atEnd && layout.some((candidate) => candidate.startsWith(buffer) && candidate !== buffer) && buffer !== '';
  }

  /** Takes one step; false when more text is needed. */
  function step(atEnd: boolean): boolean {
    if (region !== undefined) return stepRegion(region.reader, region.find, atEnd);
    if (edge && takeEdge(atEnd)) return false;
    if (buffer === '') return false;
    if (failed > MAX_FAILED) return flushText(buffer.length);
    const hit = findMark(buffer, lineStart);
    if (hit !== undefined && (atEnd || hit.at < sureText(buffer, format.readers))) {
      if (hit.at > 0) flushText(hit.at);
      region = { reader: hit.reader, find: hit.reader.createFinder() };
      return true;
    }
    const sure = atEnd ? buffer.length : sureText(buffer, format.readers);
    return sure > 0 ? flushText(sure) : false;
  }

  function flushText(length: number): true {
    giveText(buffer.slice(0, length));
    buffer = buffer.slice(length);
    return true;
  }

  function stepRegion(reader: CallReader, find: EndFinder, atEnd: boolean): boolean {
    const end = find(buffer, atEnd);
    if (end === undefined && !atEnd) return false;
    region = undefined;
    if (end === -1) {
      failed += 1;
      return flushText(reader.open.length);
    }
    // What stands inside markup that is unfinished, broken or not for a known tool is an argument, and no call itself.
    if (end === undefined) return flushText(buffer.length);
    const calls = reader.parse(buffer.slice(0, end), tools);
    if (calls === undefined || !calls.every((call) => tools.has(call.name))) return flushText(end);
    buffer = buffer.slice(end);
    edgeText = '';
    edge = true;
    found = true;
    lineStart = true;
    for (const call of calls) listener.call(call);
    return true;
  }

  return {
    push(piece) {
      buffer += piece;
      while (step(false)) continue;
    },
    end() {
      while (step(true)) continue;
      if (!found && edgeText !== '') listener.text(edgeText);
      buffer = '';
      edgeText = '';
      edge = true;
      lineStart = true;
      found = false;
    },
  };
}

/** Finds the first mark, the longest where several begin. Marks of a line's start count only there. */
function createMarkFinder(
  readers: readonly CallReader[],
): (text: string, lineStart: boolean) => { readonly reader: CallReader; readonly at: number } | undefined {
  const byLength = readers.toSorted((a, b) => b.open.length - a.open.length);
  const pattern = new RegExp(byLength.map(({ open }) => open.replaceAll(/[^\w]/g, String.raw`\$&`)).join('|'), 'g');
  return (text, lineStart) => {
    pattern.lastIndex = 0;
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      const at = hit.index;
      const reader = byLength.find(
        (candidate) =>
          text.startsWith(candidate.open, at) && (candidate.lineStart !== true || startsLine(text, at, lineStart)),
      );
      if (reader !== undefined) return { reader, at };
      pattern.lastIndex = at + 1;
    }
    return undefined;
  };
}

function startsLine(text: string, at: number, lineStart: boolean): boolean {
  let before = at - 1;
  while (text[before] === ' ' || text[before] === '\t') before -= 1;
  return before < 0 ? lineStart : text[before] === '\n';
}

/** How much of a text is certain: behind it stands the beginning of a mark that may still become whole. */
function sureText(text: string, readers: readonly CallReader[]): number {
  let sure = text.length;
  for (const { open } of readers) {
    const first = open.charAt(0);
    let at = text.indexOf(first, Math.max(0, text.length - open.length + 1));
    while (at !== -1 && !open.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
    if (at !== -1) sure = Math.min(sure, at);
  }
  return sure;
}
