import { StringDecoder } from 'node:string_decoder';
import type { KernelError } from '@kernel/protocol';
import { DEFAULT_LIMITS, limitError } from '../http/limits.ts';

/** One server-sent event. */
export interface SseEvent {
  /** The `event:` field; empty when there was none. */
  readonly event: string;
  /** The `data:` lines, joined by newlines. */
  readonly data: string;
  /** The last `id:` seen so far; empty when there was none. */
  readonly id: string;
}

/** Takes bytes as they come; calls `onEvent` synchronously. */
export interface SseParser {
  /** Throws `PROVIDER_PROTOCOL` for a line over the limit, and whatever `onEvent` throws. */
  push(bytes: Uint8Array): void;
  /** Ends the stream: a last event without its blank line, or without any newline, is handed out as well. */
  end(): void;
}

/** Limits of an SSE parser. */
export interface SseOptions {
  /** The longest line, in UTF-16 units. Default 8 MB. */
  readonly maxLineLength?: number | undefined;
}

const LF = 10;
const SPACE = 32;

/**
 * Creates a push parser for server-sent events. The events are the same for every split of the bytes: LF, CRLF and lone CR,
 * a byte-order mark, comments, several `data:` lines, a character cut in two. Linear: an unfinished line is never rescanned.
 */
export function createSseParser(onEvent: (event: SseEvent) => void, options: SseOptions = {}): SseParser {
  const maxLineLength = options.maxLineLength ?? DEFAULT_LIMITS.lineLength;
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let piecesLength = 0;
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
    let at = 0;
    if (skipLf && text !== '') {
      skipLf = false;
      if (text.charCodeAt(0) === LF) at = 1;
    }
    let lf = text.indexOf('\n', at);
    let cr = text.indexOf('\r', at);
    while (lf !== -1 || cr !== -1) {
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf;
      takeLine(text, at, end);
      at = end + 1;
      if (end === cr) {
        if (at === text.length) skipLf = true;
        else if (text.charCodeAt(at) === LF) at += 1;
        cr = text.indexOf('\r', at);
      }
      if (lf !== -1 && lf < at) lf = text.indexOf('\n', at);
    }
    if (at < text.length) keep(text.slice(at));
  }

  function keep(piece: string): void {
    piecesLength += piece.length;
    if (piecesLength > maxLineLength) throw tooLong(maxLineLength);
    pieces.push(piece);
  }

  function takeLine(text: string, from: number, to: number): void {
    if (pieces.length === 0) {
      if (to - from > maxLineLength) throw tooLong(maxLineLength);
      readLine(text, from, to);
      return;
    }
    keep(text.slice(from, to));
    const line = pieces.join('');
    pieces = [];
    piecesLength = 0;
    readLine(line, 0, line.length);
  }

  function readLine(text: string, from: number, to: number): void {
    if (from === to) {
      dispatch();
      return;
    }
    if (text.startsWith('data:', from) && to >= from + 5) {
      addData(text.slice(text.charCodeAt(from + 5) === SPACE && to > from + 5 ? from + 6 : from + 5, to));
      return;
    }
    const line = text.slice(from, to);
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
      if (pieces.length > 0) takeLine('', 0, 0);
      dispatch();
    },
  };
}

function tooLong(limit: number): KernelError {
  const hint = 'The server sends no newlines, or something else than server-sent events.';
  return limitError('lineLength', `A line of the reply is longer than ${limit} characters`, limit, hint);
}
