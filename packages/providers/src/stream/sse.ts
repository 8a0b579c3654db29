import { createUtf8Decoder } from '@kernel/internal';
import type { KernelError } from '@kernel/protocol';
import { DEFAULT_LIMITS, limitError } from '../http/limits.ts';
import { copyTail } from './lines.ts';

/** One server-sent event. */
export interface SseEvent {
  /** The `event:` field; empty if absent. */
  readonly event: string;
  /** The `data:` lines, joined by newlines. */
  readonly data: string;
  /** The last `id:` seen so far; empty if there was none. */
  readonly id: string;
}

/** Parses server-sent events from bytes as they arrive; calls `onEvent` synchronously. */
export interface SseParser {
  /** Throws `PROVIDER_PROTOCOL` for a line over the limit, and whatever `onEvent` throws. */
  push(bytes: Uint8Array): void;
  /** Ends the stream: a last event without its blank line, or without any newline, is delivered as well. */
  end(): void;
}

/** Options of an SSE parser. */
export interface SseOptions {
  /** The maximum length of a line, in UTF-16 code units. Default 8 MiB. */
  readonly maxLineLength?: number | undefined;
}

const LF = 10;
const SPACE = 32;

/**
 * Creates a push parser for server-sent events. The events are the same however the bytes are split: LF, CRLF and lone CR,
 * a byte-order mark, comments, several `data:` lines, a character cut in two. Linear: an incomplete line is never rescanned.
 *
 * @example
 * ```ts
 * import { createSseParser } from '@kernel/providers/sse';
 *
 * const parser = createSseParser(({ data }) => console.log(data));
 * parser.push(new TextEncoder().encode('data: one\n\n'));
 * parser.end();
 * ```
 */
export function createSseParser(onEvent: (event: SseEvent) => void, options: SseOptions = {}): SseParser {
  const maxLineLength = options.maxLineLength ?? DEFAULT_LIMITS.lineLength;
  const decoder = createUtf8Decoder();
  let chunks: string[] = [];
  let bufferedLength = 0;
  let atStart = true;
  let skipLf = false;
  let data: string | undefined;
  let event = '';
  let id = '';

  function feed(input: string): void {
    let text = input;
    if (text === '') return;
    if (atStart) {
      atStart = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    let start = 0;
    if (skipLf && text !== '') {
      skipLf = false;
      if (text.charCodeAt(0) === LF) start = 1;
    }
    if (text.includes('\r', start)) {
      skipLf = text.endsWith('\r');
      text = text.slice(start).replaceAll(/\r\n?/g, '\n');
      start = 0;
    }
    for (let end = text.indexOf('\n', start); end !== -1; end = text.indexOf('\n', start)) {
      if (chunks.length > 0 || end - start > maxLineLength) endLine(text, start, end);
      else if (end === start) dispatch();
      else readLine(text, start, end);
      start = end + 1;
    }
    if (start < text.length) append(copyTail(text, start));
  }

  function append(chunk: string): void {
    bufferedLength += chunk.length;
    if (bufferedLength > maxLineLength) throw tooLong(maxLineLength);
    chunks.push(chunk);
  }

  /** Ends a line of which parts came before, or one that is too long. */
  function endLine(text: string, from: number, to: number): void {
    append(text.slice(from, to));
    const line = chunks.join('');
    chunks = [];
    bufferedLength = 0;
    if (line === '') dispatch();
    else readLine(line, 0, line.length);
  }

  function readLine(text: string, from: number, to: number): void {
    if (to < from + 5 || !text.startsWith('data:', from)) readField(text.slice(from, to));
    else addData(text.slice(text.charCodeAt(from + 5) === SPACE && to > from + 5 ? from + 6 : from + 5, to));
  }

  function readField(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    if (name === 'data') addData(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }

  function addData(value: string): void {
    data = data === undefined ? value : `${data}\n${value}`;
  }

  function dispatch(): void {
    const whole = data;
    const kind = event;
    data = undefined;
    event = '';
    if (whole !== undefined) onEvent({ event: kind, data: whole, id });
  }

  return {
    push(bytes) {
      feed(decoder.write(bytes));
    },
    end() {
      feed(decoder.end());
      if (chunks.length > 0) endLine('', 0, 0);
      dispatch();
    },
  };
}

function tooLong(limit: number): KernelError {
  const hint = 'The server sends no newlines, or something other than server-sent events.';
  return limitError('lineLength', `A line of the reply is longer than ${limit} characters`, limit, hint);
}
