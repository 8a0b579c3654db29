import type { OpenPart } from '../wire/message-parts.ts';

export interface TextRange {
  /** It joins adjacent text parts of the vendor. */
  readonly part: OpenPart;
  /** In UTF-16 code units. */
  readonly from: number;
  /** Exclusive. */
  to: number;
}

/** By the index of the vendor's part in the whole reply. */
export interface TextRanges {
  /** The first part of a chunk may continue the last part of the chunk before. */
  beginChunk(): void;
  add(kind: string, length: number, part: OpenPart | undefined): void;
  at(index: number): TextRange | undefined;
  last(): TextRange | undefined;
}

export function createTextRanges(): TextRanges {
  const parts: { readonly kind: string; range: TextRange | undefined }[] = [];
  let isFirst = false;
  let last: TextRange | undefined;
  return {
    beginChunk() {
      isFirst = true;
    },
    add(kind, length, part) {
      const before = parts.at(-1);
      const isStreamed = isFirst && (kind === 'text' || kind === 'thought') && before?.kind === kind;
      const continues = isStreamed && (before.range === undefined || before.range.part === (part ?? before.range.part));
      isFirst = false;
      const entry = continues ? before : { kind, range: undefined };
      if (!continues) parts.push(entry);
      if (part === undefined || length === 0) return;
      entry.range ??= { part, from: part.length - length, to: part.length };
      entry.range.to = part.length;
      last = entry.range;
    },
    at: (index) => parts[index]?.range,
    last: () => last,
  };
}
