/** An object or array that is open at the current position of a scan. */
export interface JsonFrame {
  /** The position of its bracket. */
  readonly start: number;
  /** The key or index of the current value. */
  at: string | number;
}

/** What a scan reports. The frames are those that are open, outermost first; true ends the scan. */
export interface JsonVisitor<Frame extends JsonFrame> {
  /** Creates the frame of an object (`at` is then `''`) or of an array (0). */
  open(start: number, at: '' | 0, open: readonly Frame[]): Frame;
  /** The frame has ended before `end`; it is no longer among those that are open. */
  close?(frame: Frame, open: readonly Frame[], end: number): void;
  /** A key of the innermost frame, as JSON decodes it. */
  key?(key: string, frame: Frame, open: readonly Frame[]): boolean;
  /** A number as it is written. */
  number?(text: string, open: readonly Frame[]): boolean;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

/** Reads JSON text from left to right, in linear time and without recursion. Text that is not valid JSON is read as far as it is clear. */
export function scanJson<Frame extends JsonFrame>(text: string, visitor: JsonVisitor<Frame>): void {
  const open: Frame[] = [];
  let isKey = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    switch (code) {
      case 0x7b: // {
        open.push(visitor.open(index, '', open));
        isKey = true;
        break;
      case 0x5b: // [
        open.push(visitor.open(index, 0, open));
        isKey = false;
        break;
      case 0x7d: // }
      case 0x5d: {
        const frame = open.pop();
        if (frame !== undefined) visitor.close?.(frame, open, index + 1);
        isKey = false;
        break;
      }
      case 0x2c: {
        const frame = open.at(-1);
        if (typeof frame?.at === 'number') frame.at += 1;
        else isKey = true;
        break;
      }
      case 0x22: {
        const end = stringEnd(text, index);
        const frame = open.at(-1);
        if (isKey && frame !== undefined) {
          const key = decodeString(text.slice(index, end));
          frame.at = key;
          if (visitor.key?.(key, frame, open) === true) return;
          isKey = false;
        }
        index = end - 1;
        break;
      }
      default: {
        if (visitor.number === undefined || (code !== 0x2d && (code < 0x30 || code > 0x39))) break;
        NUMBER.lastIndex = index;
        const number = NUMBER.exec(text)?.[0] ?? '';
        if (visitor.number(number, open)) return;
        index += Math.max(0, number.length - 1);
      }
    }
  }
}

/** The position after the closing quote of the string that starts at `start`. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

/** Whether an odd number of backslashes precedes a position. Each run of backslashes is read once, by the quote that follows it. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (position - first) % 2 === 1;
}

/** The string with its escapes resolved: `"a"` and `"\u0061"` are the same one. One that is not valid stays as it is. */
function decodeString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}
