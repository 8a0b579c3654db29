import { KernelError } from '@kernel/protocol';
import { parseJson } from '../json-fields.ts';
import { createSseParser, type SseEvent, type SseParser } from './sse.ts';
import { htmlTitle } from '../http/errors.ts';

/** Hears what a reply's body holds: server-sent events, or one JSON value. */
export interface ReplyHandler {
  onEvent(event: SseEvent): void;
  onJson(value: unknown): void;
}

/** Reads a body by its first character, whatever its content type says: `{` and `[` are JSON, `<` is a page, the rest is SSE. */
export interface ReplyReader {
  /** Returns whether the reply moved on: comments alone do not move it. */
  push(bytes: Uint8Array): boolean;
  /** Throws `PROVIDER_PROTOCOL` for JSON that was cut short, and for a page. */
  end(): void;
}

/** Creates a reader; `provider` names it in errors. `maxLineLength` as of the SSE parser. */
export function createReplyReader(provider: string, handler: ReplyHandler, maxLineLength?: number): ReplyReader {
  let kind: 'unknown' | 'sse' | 'whole' = 'unknown';
  const pieces: Uint8Array[] = [];
  let events = 0;
  let sse: SseParser | undefined;
  const openSse = (): SseParser =>
    createSseParser(
      (event) => {
        events += 1;
        handler.onEvent(event);
      },
      { maxLineLength },
    );

  return {
    push(bytes) {
      if (kind === 'unknown') kind = sniff(bytes);
      if (kind === 'whole') {
        pieces.push(Buffer.from(bytes));
        return true;
      }
      const before = events;
      sse ??= openSse();
      sse.push(bytes);
      return events > before;
    },
    end() {
      if (kind !== 'whole') {
        sse?.end();
        return;
      }
      const text = Buffer.concat(pieces)
        .toString('utf8')
        .replace(/^\uFEFF/, '');
      const page = htmlTitle(text);
      if (page !== undefined) {
        throw new KernelError('PROVIDER_PROTOCOL', `${provider} answered 200 with ${page}.`, {
          hint: 'Check baseUrl: this is no API.',
        });
      }
      const value = parseJson(text);
      if (value === undefined) {
        throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the reply is JSON that was cut short, or no JSON.`, {
          retryable: true,
          data: { bytes: text.length },
        });
      }
      handler.onJson(value);
    },
  };
}

const OPENING = new Set(['{', '[', '<'].map((character) => character.charCodeAt(0)));
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);

function sniff(bytes: Uint8Array): 'unknown' | 'sse' | 'whole' {
  for (const byte of bytes) {
    if (BLANK.has(byte)) continue;
    return OPENING.has(byte) ? 'whole' : 'sse';
  }
  return 'unknown';
}
