import type { MarkupEndFinder } from './format.ts';
import { type JsonEnd, createJsonEnd, isSpace, skipSpace } from './json-text.ts';

/** Markup of `open`, JSON and then `close`, if it is not empty; white space may precede both. */
export function jsonThen(open: string, close: string): () => MarkupEndFinder {
  return () => {
    const json = createJsonEnd(open.length);
    let end: number | undefined;
    return (text) => {
      end ??= json.find(text);
      return end === undefined || end < 0 || close === '' ? end : closedEnd(text, end, [close]);
    };
  };
}

export interface HeadedMarkup {
  /** Undefined while the head is incomplete, -1 if it is not a head. */
  readHead(text: string): number | undefined;
  /** Default: that of JSON. */
  readonly createEnd?: (from: number) => JsonEnd;
  /** Marks of which one must end a call. Without arguments it follows the head. */
  readonly closes?: readonly string[];
  /** Marks that may follow the end of a call and belong to it. */
  readonly tails?: readonly string[];
}

export function headThenArguments(markup: HeadedMarkup): () => MarkupEndFinder {
  const { closes = [], tails = [], createEnd = createJsonEnd } = markup;
  const endMarks = closes.length > 0 ? closes : tails;
  return () => {
    let from: number | undefined;
    let value: JsonEnd | undefined;
    let end: number | undefined;
    let closed: number | undefined;
    const findClosed = (text: string, start: number): number | undefined => {
      value ??= text[start] === '{' ? createEnd(start) : undefined;
      if (value === undefined) return closedEnd(text, start, endMarks);
      end ??= value.find(text);
      return end === undefined || end < 0 || closes.length === 0 ? end : closedEnd(text, end, closes);
    };
    return (text, atEnd) => {
      from ??= markup.readHead(text);
      if (from === undefined || from < 0) return from;
      const start = skipSpace(text, from);
      if (start === text.length) return undefined;
      closed ??= findClosed(text, start);
      return closed === undefined || closed < 0 ? closed : tailEnd(text, closed, tails, atEnd);
    };
  };
}

/** Longer than what precedes the arguments of any call. */
export const MAX_HEAD_LENGTH = 300;

/** A head that ends with the first `last` and matches `pattern` up to there. */
export function headUpTo(last: string, pattern: RegExp): (text: string) => number | undefined {
  return (text) => {
    const at = text.slice(0, MAX_HEAD_LENGTH).indexOf(last);
    if (at === -1) return text.length > MAX_HEAD_LENGTH ? -1 : undefined;
    const end = at + last.length;
    return pattern.test(text.slice(0, end)) ? end : -1;
  };
}

/** JSON that begins with the opening mark itself, followed by the end of the line or one of the characters of `next`. */
export function jsonLine(next: string): () => MarkupEndFinder {
  return () => {
    const json = createJsonEnd(0);
    let end: number | undefined;
    return (text, atEnd) => {
      end ??= json.find(text);
      return end === undefined || end === -1 ? end : lineEnd(text, end, atEnd, next);
    };
  };
}

/** Markup of `open`, JSON values apart by white space, and `close`. */
export function jsonValuesThen(open: string, close: string): () => MarkupEndFinder {
  return () => {
    let json = createJsonEnd(open.length);
    let end = open.length;
    return (text) => {
      for (;;) {
        const closed = closedEnd(text, end, [close]);
        if (closed === undefined || closed > 0) return closed;
        const next = json.find(text);
        if (next === undefined || next < 0) return next === undefined ? next : -end;
        end = next;
        json = createJsonEnd(end);
      }
    };
  };
}

/** Markup up to the first `close` at which `isComplete` accepts it. A line feed that ends `open` may be the one that begins `close`. */
export function untilMark(open: string, close: string, isComplete: (text: string) => boolean): () => MarkupEndFinder {
  return () => {
    let from = open.endsWith('\n') && close.startsWith('\n') ? open.length - 1 : open.length;
    return (text) => {
      for (;;) {
        const at = text.indexOf(close, from);
        if (at === -1) {
          from = Math.max(from, text.length - close.length + 1);
          return undefined;
        }
        const end = at + close.length;
        if (isComplete(text.slice(0, end))) return end;
        from = end;
      }
    };
  };
}

/** Returns `end` if only white space follows up to the end of the line, the end of the reply or one of `next`; `-end` if other text follows. */
export function lineEnd(text: string, end: number, atEnd: boolean, next: string): number | undefined {
  let at = end;
  while (at < text.length && isSpace(text.charCodeAt(at)) && text[at] !== '\n') at += 1;
  const character = text[at];
  if (character === undefined) return atEnd ? end : undefined;
  return character === '\n' || next.includes(character) ? end : -end;
}

/** Apart from white space. Undefined if the mark may still come, `-end` if other text follows. */
function closedEnd(text: string, end: number, closes: readonly string[]): number | undefined {
  const from = skipSpace(text, end);
  const close = closes.find((mark) => text.startsWith(mark, from));
  if (close !== undefined) return from + close.length;
  return closes.some((mark) => mark.startsWith(text.slice(from, from + mark.length))) ? undefined : -end;
}

/** Apart from white space. `end` if no mark follows, undefined if one may still come. */
function tailEnd(text: string, end: number, tails: readonly string[], atEnd: boolean): number | undefined {
  const from = skipSpace(text, end);
  const tail = tails.find((mark) => text.startsWith(mark, from));
  if (tail !== undefined) return from + tail.length;
  const mayFollow = !atEnd && tails.some((mark) => mark.startsWith(text.slice(from, from + mark.length)));
  return mayFollow ? undefined : end;
}
