import { createUtf8Decoder } from '@kernel/internal';
import { DEFAULT_LIMITS, limitError } from '../http/limits.ts';

export interface LineParser {
  /** Returns how many lines were completed. */
  push(bytes: Uint8Array): number;
  /** A last line without a newline is delivered as well. */
  end(): void;
}

/** Linear: an incomplete line is kept in chunks and joined once. */
export function createLineParser(
  onLine: (line: string) => void,
  maxLineLength: number = DEFAULT_LIMITS.lineLength,
): LineParser {
  const decoder = createUtf8Decoder();
  let chunks: string[] = [];
  let length = 0;

  function append(chunk: string): void {
    length += chunk.length;
    if (length > maxLineLength) {
      throw limitError(
        'lineLength',
        `A line of the reply is longer than ${maxLineLength} characters`,
        maxLineLength,
        'The server sends no newlines, or something other than lines of JSON.',
      );
    }
    if (chunk !== '') chunks.push(chunk);
  }

  function endLine(): number {
    const line = chunks.join('').trim();
    chunks = [];
    length = 0;
    if (line === '') return 0;
    onLine(line);
    return 1;
  }

  function feed(text: string): number {
    let lines = 0;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      append(text.slice(start, end));
      lines += endLine();
      start = end + 1;
    }
    append(text.slice(start));
    return lines;
  }

  return {
    push: (bytes) => feed(decoder.write(bytes)),
    end() {
      feed(decoder.end());
      endLine();
    },
  };
}
