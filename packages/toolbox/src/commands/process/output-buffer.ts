import { visibleText } from '@kernel/internal';
import { stripVTControlCharacters } from 'node:util';
import { decodeText, detectFormat, unfinishedUtf8 } from '../../text/encoding.ts';

const MAX_PROGRESS = 8_000;
const MAX_ESCAPE = 64;

export type OutputBuffer = ReturnType<typeof createOutputBuffer>;

/** Creates a buffer that keeps at most `maxBytes`: half of it from the beginning, half from the end. Memory stays below twice that. */
export function createOutputBuffer(maxBytes: number) {
  const half = Math.floor(maxBytes / 2);
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let tail: Uint8Array[] = [];
  let tailBytes = 0;
  let dropped = 0;

  const addToTail = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    // A copy: the bytes may be a small part of a large buffer.
    const kept = bytes.length > half ? bytes.slice(bytes.length - half) : bytes.slice();
    dropped += bytes.length - kept.length;
    tail.push(kept);
    tailBytes += kept.length;
    if (tailBytes <= half * 2) return;
    const joined = Buffer.concat(tail);
    const last = joined.subarray(joined.length - half);
    dropped += joined.length - last.length;
    tail = [Uint8Array.from(last)];
    tailBytes = last.length;
  };

  return {
    append(bytes: Uint8Array): void {
      const room = half - headBytes;
      const first = bytes.subarray(0, Math.max(0, room));
      if (first.length > 0) head.push(first.slice());
      headBytes += first.length;
      addToTail(bytes.subarray(first.length));
    },
    leftOut: (): number => dropped + Math.max(0, tailBytes - half),
    /** Returns what is kept as text without terminal escapes, with a line in the middle that says how much was left out; without as many bytes at its end. */
    text(without = 0): string {
      const end = Buffer.concat(tail);
      const more = Math.max(0, end.length - half);
      const begin = Buffer.concat(head);
      if (dropped + more === 0) return clean(withoutEnd(Buffer.concat([begin, end]), without));
      // What is cut off is whole characters.
      const first = withoutEnd(begin, unfinishedUtf8(begin));
      const last = end.subarray(more + middleOfCharacter(end.subarray(more)));
      const left = dropped + begin.length - first.length + end.length - last.length;
      return `${clean(first)}\n… ${left} bytes left out …\n${clean(withoutEnd(last, without))}`;
    },
    /** The bytes at the end that begin a character or an escape which they do not complete. */
    unfinished(): Uint8Array {
      const end = Buffer.concat([...head, ...tail]);
      return end.slice(end.length - unfinishedLength(end));
    },
  };
}

/**
 * Text of a terminal as a model can read it: no escapes and no bells, of what was written over only the last state, and every other control character, and
 * what hides text or turns its direction, visible, such as `\u{0}`.
 */
export function clean(bytes: Uint8Array): string {
  const text = stripVTControlCharacters(decodeOutput(bytes).replaceAll(STRINGS, ''))
    .replace(CUT_ESCAPE, '')
    .replaceAll('\u0007', '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\v\f]/g, '\n');
  const shown = /[\r\b]/.test(text) ? text.split('\n').map(lastState).join('\n') : text;
  return visibleText(shown);
}

/** Returns a function that takes output as it arrives, and reports it as `clean` text: a character or a colour that arrives in two pieces is reported whole. */
export function createProgress(report: (text: string) => void): { add(bytes: Uint8Array): void; end(): void } {
  let rest: Uint8Array = new Uint8Array();
  const tell = (bytes: Uint8Array): void => {
    const text = clean(bytes);
    if (text !== '') report(text);
  };
  return {
    add(bytes) {
      const whole = Buffer.concat([rest, bytes]);
      rest = whole.slice(whole.length - unfinishedLength(whole));
      const done = whole.subarray(0, Math.min(whole.length - rest.length, MAX_PROGRESS));
      tell(done.subarray(0, done.length - (done.length === MAX_PROGRESS ? unfinishedLength(done) : 0)));
    },
    end: () => tell(rest),
  };
}

function unfinishedLength(bytes: Uint8Array): number {
  const end = bytes.subarray(-MAX_ESCAPE);
  const escape = CUT_ESCAPE.exec(Buffer.from(end).toString('latin1'));
  return escape === null ? unfinishedUtf8(bytes) : escape[0].length;
}

function withoutEnd(bytes: Uint8Array, length: number): Uint8Array {
  return bytes.subarray(0, bytes.length - length);
}

function middleOfCharacter(bytes: Uint8Array): number {
  const length = bytes.subarray(0, 4).findIndex((byte) => byte < 0x80 || byte > 0xbf);
  return Math.max(0, length);
}

/** What is not UTF-8 is read as what it seems to be, so that as little as possible is lost. */
function decodeOutput(bytes: Uint8Array): string {
  const format = detectFormat(bytes);
  return format === undefined ? new TextDecoder().decode(bytes) : decodeText(bytes, format).toWellFormed();
}

/** Titles, links, images and the like: what stands between their begin and their end is not text; without an end it is. */
// oxlint-disable-next-line no-control-regex -- as below
const STRINGS = /\u001B[\]PX^_](?:[^\u0007\u001B\n]*(?:\u0007|\u001B\\))?/g;

/** An escape whose end is not there yet, or was left out. */
// oxlint-disable-next-line no-control-regex -- finding them is what this file is for
const CUT_ESCAPE = /\u001B(?:\[[0-?]*[ -/]*)?$/;

/** What a terminal shows of a line that was written over: all of it after a return, one character after a backspace. */
function lastState(line: string): string {
  const states = line.split('\r').filter((state) => state !== '');
  const last = states.at(-1) ?? '';
  if (!last.includes('\b')) return last;
  const shown: string[] = [];
  let column = 0;
  for (const character of last) {
    if (character === '\b') column = Math.max(0, column - 1);
    else {
      shown[column] = character;
      column += 1;
    }
  }
  return shown.join('');
}
