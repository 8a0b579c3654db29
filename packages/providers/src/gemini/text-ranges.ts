import type { OpenPart } from '../wire/message-parts.ts';

/** A text part of the vendor, as a range of a text part of the message. @internal */
export interface TextRange {
  /** The text part of the message, which joins adjacent text parts of the vendor. */
  readonly part: OpenPart;
  /** Where the vendor's part begins in it, in UTF-16 code units. */
  readonly from: number;
  /** Where the vendor's part ends so far; exclusive. */
  to: number;
}

/** The ranges of the vendor's text parts in the message, by their index in the whole reply. @internal */
export interface TextRanges {
  /** Begins a chunk, whose first part may continue the last part of the chunk before. */
  beginChunk(): void;
  /** Adds a part of a kind. A text has its length, and the text part of the message that it was added to. */
  add(kind: string, length: number, part: OpenPart | undefined): void;
  /** Returns the range of the vendor's part of an index; undefined for another kind of part. */
  at(index: number): TextRange | undefined;
  /** Returns the range of the last text part. */
  last(): TextRange | undefined;
}

/** Creates the ranges of one reply. @internal */
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
