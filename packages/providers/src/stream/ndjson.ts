import { StringDecoder } from 'node:string_decoder';
import { DEFAULT_LIMITS, limitError } from '../http/limits.ts';

/** Takes bytes as they come; calls `onLine` synchronously with each line that is not blank. */
export interface LineParser {
  /** Throws `PROVIDER_PROTOCOL` for a line over the limit, and whatever `onLine` throws. Returns how many lines it gave out. */
  push(bytes: Uint8Array): number;
  /** Hands out a last line without its newline. */
  end(): void;
}

/** Creates a push parser for lines of JSON. Linear: an unfinished line is kept in pieces and joined once. */
export function createLineParser(
  onLine: (line: string) => void,
  maxLineLength: number = DEFAULT_LIMITS.lineLength,
): LineParser {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;

  function keep(piece: string): void {
    length += piece.length;
    if (length > maxLineLength) {
      const hint = 'The server sends no newlines, or something else than lines of JSON.';
      throw limitError(
        'lineLength',
        `A line of the reply is longer than ${maxLineLength} characters`,
        maxLineLength,
        hint,
      );
    }
    if (piece !== '') pieces.push(piece);
  }

  function takeLine(): number {
    const line = pieces.join('').trim();
    pieces = [];
    length = 0;
    if (line === '') return 0;
    onLine(line);
    return 1;
  }

  function feed(text: string): number {
    let lines = 0;
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      keep(text.slice(at, end));
      lines += takeLine();
      at = end + 1;
    }
    keep(text.slice(at));
    return lines;
  }

  return {
    push: (bytes) => feed(decoder.write(bytes)),
    end() {
      feed(decoder.end());
      takeLine();
    },
  };
}
