/** Deeper than any arguments of a real tool, and far less deep than the stack allows. */
export const MAX_DEPTH = 200;

export interface LiteralReader {
  at: number;
  /** Returns what a sticky pattern matches here, and goes behind it. */
  take(this: void, pattern: RegExp): string | undefined;
  space(this: void): void;
  /** Items up to the closing bracket; a comma may follow the last. Undefined where one is wrong, or they are nested too deeply. */
  list(this: void, close: RegExp, item: () => string | undefined): string | undefined;
  /** Returns undefined for a value that is nested too deeply. */
  nested<T>(this: void, read: () => T | undefined): T | undefined;
}

export function createLiteralReader(text: string): LiteralReader {
  let depth = 0;
  const reader: LiteralReader = {
    at: 0,
    take(pattern) {
      pattern.lastIndex = reader.at;
      const match = pattern.exec(text)?.[0];
      if (match !== undefined) reader.at += match.length;
      return match;
    },
    space() {
      reader.take(/\s*/y);
    },
    list: (close, item) => reader.nested(() => readList(reader, close, item)),
    nested(read) {
      if (depth === MAX_DEPTH) return undefined;
      depth += 1;
      const inner = read();
      depth -= 1;
      return inner;
    },
  };
  return reader;
}

function readList({ take, space }: LiteralReader, close: RegExp, item: () => string | undefined): string | undefined {
  const items: string[] = [];
  for (;;) {
    space();
    if (take(close) !== undefined) return items.join(',');
    const next = item();
    if (next === undefined) return undefined;
    items.push(next);
    space();
    if (take(/,/y) !== undefined) continue;
    return take(close) === undefined ? undefined : items.join(',');
  }
}

export function bracketed(open: string, items: string | undefined, close: string): string | undefined {
  return items === undefined ? undefined : open + items + close;
}
