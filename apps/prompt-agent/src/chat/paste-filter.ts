import { Transform } from 'node:stream';
import { sliceHead } from '@kernel/internal';

/** What stands for a line break within a line that is edited. */
const BREAK = '␤';
/** What stands for a tab within a line that is edited: the key completes. */
const TAB = '␉';
const PASTE_START = '\u001B[200~';
const PASTE_END = '\u001B[201~';
/** Alt-Enter, as terminals send it. */
// oxlint-disable-next-line no-control-regex -- the key's own
const ALT_ENTER = /\u001B(?:\r\n?|\n)/g;
/** The longest paste, in characters. */
const MAX_PASTE = 1_000_000;
// oxlint-disable-next-line no-control-regex -- keys that a paste must not press
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/g;

/** Switches the marks on and off that a terminal puts around a paste. */
export const BRACKETED_PASTE = { on: '\u001B[?2004h', off: '\u001B[?2004l' };

/**
 * Creates a stream between a terminal and a line editor: a paste, and Alt-Enter, become text of the line instead of keys, so that a paste of many lines is one
 * message. Other control characters of a paste are left out. `textOfLine` gives the line breaks back.
 */
export function createPasteFilter(): Transform {
  let paste: string | undefined;
  let held = '';
  const filter = new Transform({
    decodeStrings: false,
    encoding: 'utf8',
    transform(chunk: unknown, _encoding, done) {
      let text = held + String(chunk);
      held = '';
      let out = '';
      while (text !== '') {
        if (paste === undefined) {
          const start = text.indexOf(PASTE_START);
          // The mark of the start may arrive in pieces, too. An escape alone is a key.
          const keep = start === -1 ? partialMark(text, PASTE_START) : 0;
          const begun = keep < 2 ? 0 : keep;
          held = text.slice(text.length - begun);
          const keys = text.slice(0, start === -1 ? text.length - begun : start);
          out += keys.replaceAll(ALT_ENTER, BREAK);
          if (start !== -1) paste = '';
          text = start === -1 ? '' : text.slice(start + PASTE_START.length);
        } else {
          const end = text.indexOf(PASTE_END);
          if (end === -1) {
            // The mark of the end may arrive in pieces.
            const keep = partialMark(text, PASTE_END);
            paste = sliceHead(paste + text.slice(0, text.length - keep), MAX_PASTE);
            held = text.slice(text.length - keep);
            break;
          }
          out += toLine(sliceHead(paste + text.slice(0, end), MAX_PASTE));
          paste = undefined;
          text = text.slice(end + PASTE_END.length);
        }
      }
      done(null, out);
    },
  });
  return filter;
}

export function textOfLine(line: string): string {
  return line.replaceAll(BREAK, '\n').replaceAll(TAB, '\t');
}

export function toLine(text: string): string {
  return text
    .replaceAll(/\r\n?|\n/g, BREAK)
    .replaceAll('\t', TAB)
    .replaceAll(CONTROLS, '');
}

/** How many characters at the end of a text may begin a mark. */
function partialMark(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length -= 1)
    if (mark.startsWith(text.slice(text.length - length))) return length;
  return 0;
}
