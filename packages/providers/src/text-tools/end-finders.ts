import type { EndFinder } from './format.ts';
import { createJsonEnd, isSpace, skipSpace } from './json-text.ts';

/** Markup of `open`, JSON and then `close`, if it is not empty; white space may precede both. */
export function jsonThen(open: string, close: string): () => EndFinder {
  return () => {
    const json = createJsonEnd(open.length);
    let end: number | undefined;
    return (text) => {
      end ??= json.find(text);
      if (end === undefined || end === -1 || close === '') return end;
      const from = skipSpace(text, end);
      if (text.startsWith(close, from)) return from + close.length;
      return close.startsWith(text.slice(from, from + close.length)) ? undefined : -end;
    };
  };
}

/** JSON that begins with the opening mark itself, followed by the end of the line or one of the characters of `next`. */
export function jsonLine(next: string): () => EndFinder {
  return () => {
    const json = createJsonEnd(0);
    let end: number | undefined;
    return (text, atEnd) => {
      end ??= json.find(text);
      return end === undefined || end === -1 ? end : lineEnd(text, end, atEnd, next);
    };
  };
}

/** Markup up to the first `close` at which `isComplete` accepts it. A line feed that ends `open` may be the one that begins `close`. */
export function untilMark(open: string, close: string, isComplete: (text: string) => boolean): () => EndFinder {
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
