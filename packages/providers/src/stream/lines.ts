import { createUtf8Decoder, node, onAbort } from '@kernel/internal';
import type { ApiRequest, AuthenticatedClient } from '../http/authenticated-client.ts';
import { DEFAULT_LIMITS, limitError } from '../http/limits.ts';
import type { HttpRequest } from '../http/request.ts';

/** Linear: an incomplete line is kept in chunks and joined once. */
export function createLineParser(onLine: (line: string) => void, maxLineLength: number = DEFAULT_LIMITS.lineLength) {
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
    append(copyTail(text, start));
    return lines;
  }

  return {
    /** Returns how many lines were completed. */
    push: (bytes: Uint8Array) => feed(decoder.write(bytes)),
    /** A last line without a newline is delivered as well. */
    end() {
      feed(decoder.end());
      endLine();
    },
  };
}

/** How many unread lines stop the reading from the connection. */
const MAX_UNREAD_LINES = 64;

/** No more is read from the connection than the reader takes. An abort throws `signal.reason`, and leaving the loop closes the connection. */
export async function* readLines(
  client: AuthenticatedClient,
  request: ApiRequest,
  lineLength: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  signal?.throwIfAborted();
  const lines: string[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const parser = createLineParser((line) => lines.push(line), lineLength);
  const settle = (result: { readonly error?: unknown }): void => {
    end ??= result;
    wake?.();
  };
  let sent: HttpRequest | undefined;
  const removeListener = onAbort(signal, () => {
    sent?.close();
    lines.length = 0;
    settle({ error: signal?.reason });
  });
  sent = client.open(request, {
    onHeaders: () => undefined,
    onData(bytes) {
      const unread = lines.length;
      parser.push(bytes);
      sent?.extendIdleTimeout(lines.length > unread);
      if (lines.length > MAX_UNREAD_LINES) sent?.pause();
      wake?.();
    },
    onEnd() {
      parser.end();
      settle({});
    },
    onError: (error) => settle({ error }),
  });
  try {
    for (;;) {
      // Taken all at once: to take them one by one from the front would take time by their square.
      yield* lines.splice(0);
      if (lines.length > 0) continue;
      if (end !== undefined) break;
      // The promise must exist before reading goes on, which may bring the next bytes at once.
      const woken = new Promise<void>((resolve) => (wake = resolve));
      sent.resume();
      // oxlint-disable-next-line no-await-in-loop -- waits for the next bytes
      await woken;
    }
    if ('error' in end) throw end.error;
  } finally {
    removeListener();
    sent.close();
  }
}

/**
 * The rest of a text from `start`. A short one is copied: as a slice it would keep the whole text, often 64 KiB, alive
 * until the next one arrives.
 */
export function copyTail(text: string, start: number): string {
  const tail = text.slice(start);
  if (node.Buffer === undefined || tail.length * 2 > text.length) return tail;
  return node.Buffer.from(tail).toString();
}
