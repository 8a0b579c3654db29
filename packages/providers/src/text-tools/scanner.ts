import type { Tool } from '@kernel/protocol';
import type { CallParser, MarkupEndFinder, TextCall, TextFormat } from './format.ts';

export interface ScanListener {
  text(piece: string): void;
  call(call: TextCall): void;
}

const WHITE_SPACE = ['\n', '\r', ' ', '\t'];

/** How many opening marks may turn out not to begin markup, and how many characters may be read for that; beyond it, the rest of a reply is text. */
const MAX_FALSE_MARKS = 5_000;
const MAX_FALSE_LENGTH = 2_000_000;

/** Longer markup is examined again only when it has grown by a sixteenth of the excess, so that small pieces take linear time. */
const ALWAYS_EXAMINED_LENGTH = 4096;

/** Markup that is malformed, incomplete or names another tool stays text, every character of it. */
export function createScanner(
  format: Pick<TextFormat, 'parsers' | 'layout'>,
  tools: ReadonlyMap<string, Tool>,
  listener: ScanListener,
) {
  const afterCalls = [...WHITE_SPACE, ...(format.layout ?? [])];
  const findMark = createMarkFinder(format.parsers);
  let buffer = '';
  let region: { readonly parser: CallParser; readonly find: MarkupEndFinder } | undefined;
  // At a boundary (the start, or after a call) white space is held back: it is text only if text follows.
  let atBoundary = true;
  let boundaryText = '';
  let foundCall = false;
  let lineStart = true;
  let falseMarks = 0;
  let falseLength = 0;
  /** The length of the buffer when its markup was last examined. */
  let examinedLength = 0;

  function emitText(piece: string): void {
    if (piece === '') return;
    listener.text(boundaryText + piece);
    boundaryText = '';
    atBoundary = false;
    lineStart = startsLine(piece, piece.length, lineStart);
  }

  function consumeBoundary(atEnd: boolean): boolean {
    const layout = foundCall ? afterCalls : WHITE_SPACE;
    for (;;) {
      const mark = layout.find((candidate) => buffer.startsWith(candidate));
      if (mark === undefined) break;
      boundaryText += mark;
      buffer = buffer.slice(mark.length);
      if (mark === '\n' || foundCall) lineStart = true;
    }
    return !atEnd && layout.some((candidate) => candidate.startsWith(buffer) && candidate !== buffer) && buffer !== '';
  }

  /** False if more text is needed. */
  function step(atEnd: boolean): boolean {
    if (region !== undefined) return stepRegion(region.parser, region.find, atEnd);
    if (atBoundary && consumeBoundary(atEnd)) return false;
    if (buffer === '') return false;
    if (falseMarks > MAX_FALSE_MARKS || falseLength > MAX_FALSE_LENGTH) return flushText(buffer.length);
    const hit = findMark(buffer, lineStart);
    if (hit !== undefined && (atEnd || hit.at < certainLength(buffer, format.parsers))) {
      if (hit.at > 0) flushText(hit.at);
      region = { parser: hit.parser, find: hit.parser.createFinder() };
      return true;
    }
    const certain = atEnd ? buffer.length : certainLength(buffer, format.parsers);
    return certain > 0 ? flushText(certain) : false;
  }

  function flushText(length: number): true {
    emitText(buffer.slice(0, length));
    buffer = buffer.slice(length);
    return true;
  }

  function stepRegion(parser: CallParser, find: MarkupEndFinder, atEnd: boolean): boolean {
    const end = find(buffer, atEnd);
    examinedLength = end === undefined && !atEnd ? buffer.length : 0;
    if (examinedLength > 0) return false;
    region = undefined;
    if (end !== undefined && end < 0) {
      falseMarks += 1;
      falseLength -= end;
      return flushText(parser.open.length);
    }
    // Text inside markup that is incomplete, malformed or not for a known tool may be an argument, so it is not scanned for calls.
    if (end === undefined) return flushText(buffer.length);
    const calls = parser.parse(buffer.slice(0, end), tools);
    if (calls === undefined || !calls.every((call) => tools.has(call.name))) return flushText(end);
    buffer = buffer.slice(end);
    boundaryText = '';
    atBoundary = true;
    foundCall = true;
    lineStart = true;
    for (const call of calls) listener.call(call);
    return true;
  }

  return {
    push(piece: string) {
      buffer += piece;
      if (buffer.length - examinedLength < (examinedLength - ALWAYS_EXAMINED_LENGTH) / 16) return;
      while (step(false)) continue;
    },
    /** Markup that never ended is text. */
    end() {
      while (step(true)) continue;
      if (!foundCall && boundaryText !== '') listener.text(boundaryText);
      buffer = '';
      boundaryText = '';
      atBoundary = true;
      lineStart = true;
      foundCall = false;
    },
  };
}

/** The longest if several match. Marks that need the start of a line count only there. */
function createMarkFinder(
  parsers: readonly CallParser[],
): (text: string, lineStart: boolean) => { readonly parser: CallParser; readonly at: number } | undefined {
  const byLength = parsers.toSorted((a, b) => b.open.length - a.open.length);
  const pattern = new RegExp(byLength.map(({ open }) => open.replaceAll(/[^\w]/g, String.raw`\$&`)).join('|'), 'g');
  return (text, lineStart) => {
    pattern.lastIndex = 0;
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      const at = hit.index;
      const parser = byLength.find(
        (candidate) =>
          text.startsWith(candidate.open, at) && (candidate.lineStart !== true || startsLine(text, at, lineStart)),
      );
      if (parser !== undefined) return { parser, at };
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

/** The length of the text before an incomplete opening mark at its end. */
function certainLength(text: string, parsers: readonly CallParser[]): number {
  let certain = text.length;
  for (const { open } of parsers) {
    const first = open.charAt(0);
    let at = text.indexOf(first, Math.max(0, text.length - open.length + 1));
    while (at !== -1 && !open.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
    if (at !== -1) certain = Math.min(certain, at);
  }
  return certain;
}
