import { copyBytes, decodeUtf8 } from '@kernel/internal';
import { concatBytes } from '../http/join-bytes.ts';
import { KernelError } from '@kernel/protocol';
import { describeHtmlPage } from '../http/vendor-error.ts';
import { parseJson } from '../json-fields.ts';
import { createSseParser, type SseEvent, type SseParser } from './sse.ts';
import { protocolError } from '../http/errors.ts';

export interface BodyHandler {
  onEvent(event: SseEvent): void;
  /** Called once, at the end. */
  onJson(value: unknown, text: string): void;
}

/** The first character decides, whatever the content type says: `{` and `[` mean JSON, `<` an HTML page, anything else SSE. */
export function createBodyReader(provider: string, handler: BodyHandler, maxLineLength?: number) {
  let kind: 'unknown' | 'sse' | 'whole' = 'unknown';
  const chunks: Uint8Array[] = [];
  let events = 0;
  let sse: SseParser | undefined;
  const createParser = (): SseParser =>
    createSseParser(
      (event) => {
        events += 1;
        handler.onEvent(event);
      },
      { maxLineLength },
    );

  return {
    /** Returns whether the reply made progress; comments do not count. */
    push(bytes: Uint8Array) {
      if (kind === 'unknown') kind = sniff(bytes);
      if (kind === 'whole') {
        chunks.push(copyBytes(bytes));
        return true;
      }
      const before = events;
      sse ??= createParser();
      sse.push(bytes);
      return events > before;
    },
    end() {
      if (kind !== 'whole') {
        sse?.end();
        return;
      }
      const text = decodeUtf8(concatBytes(chunks)).replace(/^\uFEFF/, '');
      const value = parseJson(text);
      if (value === undefined) {
        const page = describeHtmlPage(text);
        if (page !== undefined) {
          throw new KernelError('PROVIDER_PROTOCOL', `${provider} answered 200 with ${page}.`, {
            hint: 'Check baseUrl: this is not an API.',
          });
        }
        throw protocolError(provider, 'the reply is not valid JSON, or it was cut short.', {
          retryable: true,
          data: { bytes: text.length },
        });
      }
      handler.onJson(value, text);
    },
  };
}

const WHOLE_BODY_START = new Set(['{', '[', '<'].map((character) => character.charCodeAt(0)));
const WHITE_SPACE_OR_BOM = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);

function sniff(bytes: Uint8Array): 'unknown' | 'sse' | 'whole' {
  for (const byte of bytes) {
    if (WHITE_SPACE_OR_BOM.has(byte)) continue;
    return WHOLE_BODY_START.has(byte) ? 'whole' : 'sse';
  }
  return 'unknown';
}
