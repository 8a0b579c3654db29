import { stripVTControlCharacters } from 'node:util';
import { decodeText, detectFormat } from '../../text/encoding.ts';

/** Output of a process, of which the beginning and the end are kept. */
export interface OutputBuffer {
  /** Adds bytes. */
  append(bytes: Uint8Array): void;
  /** Returns what is kept as text without terminal escapes, with a line in the middle that says how much was left out. */
  text(): string;
  /** How many bytes were left out. */
  leftOut(): number;
}

/** Creates a buffer that keeps at most `maxBytes`: half of it from the beginning, half from the end. Memory stays below twice that. */
export function createOutputBuffer(maxBytes: number): OutputBuffer {
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
    append(bytes) {
      const room = half - headBytes;
      const first = bytes.subarray(0, Math.max(0, room));
      if (first.length > 0) head.push(first.slice());
      headBytes += first.length;
      addToTail(bytes.subarray(first.length));
    },
    leftOut: () => dropped + Math.max(0, tailBytes - half),
    text() {
      const end = Buffer.concat(tail);
      const more = Math.max(0, end.length - half);
      const left = dropped + more;
      const begin = Buffer.concat(head);
      if (left === 0) return clean(Buffer.concat([begin, end]));
      return `${clean(begin)}\n… ${left} bytes left out …\n${clean(end.subarray(more))}`;
    },
  };
}

/** Text of a terminal as a model can read it: no escapes, and of a line that was overwritten only its last state. */
export function clean(bytes: Uint8Array): string {
  const text = stripVTControlCharacters(decodeOutput(bytes)).replaceAll('\r\n', '\n');
  return text.includes('\r') ? text.split('\n').map(lastState).join('\n') : text;
}

/** What is not UTF-8 is read as what it seems to be, so that as little as possible is lost. */
function decodeOutput(bytes: Uint8Array): string {
  const format = detectFormat(bytes);
  return format === undefined ? new TextDecoder().decode(bytes) : decodeText(bytes, format).toWellFormed();
}

/** What a terminal shows of a line that was written over. */
function lastState(line: string): string {
  const states = line.split('\r').filter((state) => state !== '');
  return states.at(-1) ?? '';
}
