import type { JsonValue } from '@kernel/protocol';

/** Reads JSON while it arrives. */
export interface PartialJson {
  /** Adds the next piece of text. Anything before the first `{` or `[`, and after its end, is ignored. */
  push(piece: string): void;
  /**
   * Returns the value so far, or undefined if there is nothing new to show: strings may be cut; numbers and literals appear once complete. Each
   * value is a separate object. While the text is long, a value is returned once it has grown by a thirtieth, so all values together
   * take time in proportion to the text.
   */
  take(): JsonValue | undefined;
}

const GROWTH = 30;
/** What is nested deeper is not shown while it arrives. */
const MAX_DEPTH = 500;

/** Creates a reader of one JSON object or list. Each character is looked at once. */
export function createPartialJson(): PartialJson {
  let text = '';
  let shownLength = 0;
  let hasChanged = false;
  /** What closes the objects and lists that are open, innermost first. */
  let closers = '';
  let hasStarted = false;
  let isTooDeep = false;
  let isInString = false;
  let isKey = false;
  let expectsKey = false;
  /** The start of an escape that has not ended, or -1. */
  let escape = -1;
  /** Where the text can be cut so that the closers make it valid. */
  let end = 0;

  function open(closer: string): void {
    hasStarted = true;
    if (closers.length >= MAX_DEPTH) isTooDeep = true;
    closers = closer + closers;
    expectsKey = closer === '}';
    end = text.length;
  }

  function readEscape(char: string): void {
    const length = text.length - escape;
    if (length === 2 && char === 'u') return;
    if (length === 2 || length === 6) escape = -1;
  }

  function readString(char: string): void {
    if (escape !== -1) readEscape(char);
    else if (char === '\\') escape = text.length - 1;
    else if (char === '"') {
      isInString = false;
      if (!isKey) end = text.length;
    }
  }

  function readChar(char: string): void {
    if (!hasStarted && char !== '{' && char !== '[') return;
    if (isTooDeep || (hasStarted && closers === '')) return;
    text += char;
    if (isInString) return readString(char);
    switch (char) {
      case '{':
        return open('}');
      case '[':
        return open(']');
      case '}':
      case ']':
        closers = closers.slice(1);
        expectsKey = false;
        end = text.length;
        return;
      case '"':
        isInString = true;
        isKey = expectsKey;
        return;
      case ',':
        // The number or literal before it is complete.
        end = text.length - 1;
        expectsKey = closers.startsWith('}');
        return;
      case ':':
        expectsKey = false;
        return;
      default:
    }
  }

  function closed(): string {
    if (!isInString || isKey) return text.slice(0, end) + closers;
    return `${text.slice(0, escape === -1 ? text.length : escape)}"${closers}`;
  }

  return {
    push(piece) {
      const before = text.length;
      for (const char of piece) readChar(char);
      hasChanged ||= text.length !== before;
    },
    take() {
      const isWhole = hasStarted && closers === '';
      const isDue = isWhole || text.length - shownLength >= shownLength / GROWTH;
      if (!hasChanged || !isDue || isTooDeep) return undefined;
      hasChanged = false;
      shownLength = text.length;
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
        return JSON.parse(closed()) as JsonValue;
      } catch {
        return undefined; // not JSON: the whole reply will be rejected
      }
    },
  };
}
