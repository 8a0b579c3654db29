import type { EndFinder } from './format.ts';
import { createJsonEnd, isSpace, skipSpace } from './json-text.ts';

/** Behind `open` stands JSON, and then `close`, where there is one; white space may stand before both. */
export function jsonThen(open: string, close: string): () => EndFinder {
  return () => {
    const json = createJsonEnd(open.length);
    let end: number | undefined;
    return (text) => {
      end ??= json.find(text);
      if (end === undefined || end === -1 || close === '') return end;
      const from = skipSpace(text, end);
      if (text.startsWith(close, from)) return from + close.length;
      return close.startsWith(text.slice(from)) ? undefined : -1;
    };
  };
}

/** JSON that begins with the opening mark itself, and behind it nothing more in its line but what begins with one of `next`. */
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

/** Markup up to the first `close` behind which `isWhole` agrees. */
export function untilMark(open: string, close: string, isWhole: (text: string) => boolean): () => EndFinder {
  return () => {
    let from = open.length;
    return (text) => {
      for (;;) {
        const at = text.indexOf(close, from);
        if (at === -1) {
          from = Math.max(from, text.length - close.length + 1);
          return undefined;
        }
        const end = at + close.length;
        if (isWhole(text.slice(0, end))) return end;
        from = end;
      }
    };
  };
}

/** `end` where only spaces follow up to the end of the line, of the reply, or one of `next`; -1 where other text does. */
export function lineEnd(text: string, end: number, atEnd: boolean, next: string): number | undefined {
  let at = end;
  while (at < text.length && isSpace(text.charCodeAt(at)) && text[at] !== '\n') at += 1;
  const character = text[at];
  if (character === undefined) return atEnd ? end : undefined;
  return character === '\n' || next.includes(character) ? end : -1;
}
