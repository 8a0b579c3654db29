interface Piece {
  readonly start: number;
  readonly end: number;
  /** The pieces within it, for one that is not JSON as a whole. */
  readonly inner: readonly Piece[];
  readonly depth: number;
}

export interface JsonPiece {
  readonly text: string;
  readonly value: unknown;
}

const MAX_PIECES = 1_000;
const MAX_DEPTH = 100;
/** How often, on average, a character may be read: pieces that are not JSON are read again for what is within them. */
const MAX_READS = 4;

/**
 * Returns the objects and lists in a text that are JSON and not part of another one, the last one first. Of a text with many pieces, the last
 * thousand; takes time in proportion to the text.
 */
export function* jsonPieces(text: string): Generator<JsonPiece, void> {
  let tries = MAX_PIECES;
  let length = text.length * MAX_READS;
  function* visit(pieces: readonly Piece[]): Generator<JsonPiece, void> {
    for (const { start, end, inner } of pieces.toReversed()) {
      if (tries === 0 || length < end - start) return;
      tries -= 1;
      length -= end - start;
      const piece = text.slice(start, end);
      const parsed = parseJson(piece);
      if (parsed === undefined) yield* visit(inner);
      else yield { text: piece, value: parsed.value };
    }
  }
  yield* visit(findPieces(text));
}

/** Returns the value of JSON text; undefined if it is not valid. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function findPieces(text: string): readonly Piece[] {
  /** Where brackets are that have not been closed. */
  const open: number[] = [];
  let found: Piece[] = [];
  /** Quotes before it stand for themselves. */
  let plainUntil = 0;

  function close(start: number, end: number): void {
    const first = found.findLastIndex((piece) => piece.start < start) + 1;
    const inner = found.splice(first);
    const depth = 1 + inner.reduce((most, piece) => Math.max(most, piece.depth), 0);
    found.push(depth > MAX_DEPTH ? { start, end, inner: [], depth: 1 } : { start, end, inner, depth });
    if (found.length > 2 * MAX_PIECES) found = found.slice(-MAX_PIECES);
  }

  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '"' && open.length > 0 && index >= plainUntil) {
      const end = stringEnd(text, index);
      if (text[end] === '"') index = end;
      else plainUntil = end;
    } else if (char === '{' || char === '[') open.push(index);
    else if (char === '}' || char === ']') {
      const start = open.pop();
      if (start === undefined) continue;
      if ((text[start] === '{') === (char === '}')) close(start, index + 1);
      else open.length = 0; // nothing of what is open can be JSON
    }
  }
  return found;
}

/** Where a string ends: at its quote, or, where it has none, at the end of its line, since JSON has no line breaks in strings. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  for (; index < text.length; index += 1) {
    const char = text[index];
    if (char === '"' || char === '\n') return index;
    if (char === '\\') index += 1;
  }
  return text.length;
}
