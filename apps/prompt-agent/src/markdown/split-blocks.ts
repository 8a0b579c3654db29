/** A piece of Markdown that is complete: what follows does not change how it looks. */
export interface MarkdownBlock {
  readonly source: string;
  readonly hasGap: boolean;
  /** Whether it is too long to be read as Markdown, and shown as it is. */
  readonly isPlain: boolean;
}

const MAX_BLOCK = 16_000;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const FENCE = /^(?:`{3,}|~{3,})/;

interface Fence {
  readonly mark: string;
  /** The line that opens it; absent within a list, whose item stays one block. */
  readonly opening: string | undefined;
}

/** Creates what splits a text that arrives in pieces into blocks, in linear time. A fenced block of code that is long comes in several blocks. */
export function createBlockSplitter() {
  let lines: string[] = [];
  let size = 0;
  let partial = '';
  let fence: Fence | undefined;
  let isList = false;
  let isAfterBlank = false;
  let hasGap = false;
  let done: MarkdownBlock[] = [];

  function flush(isPlain = false): void {
    if (lines.length > 0) {
      done.push({ source: lines.join('\n'), hasGap, isPlain });
      hasGap = false;
    }
    hasGap ||= isAfterBlank;
    isAfterBlank = false;
    lines = [];
    size = 0;
    isList = false;
  }

  function add(line: string): void {
    lines.push(line);
    size += line.length + 1;
  }

  function addFenced(line: string, { mark, opening }: Fence): void {
    add(line);
    const trimmed = line.trim();
    const isEnd = trimmed.startsWith(mark) && trimmed === (mark[0] ?? '').repeat(trimmed.length);
    if (isEnd) {
      fence = undefined;
      if (opening !== undefined) flush();
    } else if (size > MAX_BLOCK && opening !== undefined) {
      add(mark);
      flush();
      add(opening);
    }
  }

  function addLine(line: string): void {
    if (fence !== undefined) return addFenced(line, fence);
    if (line.trim() === '') {
      if (!isList) flush();
      isAfterBlank = true;
      if (lines.length === 0) hasGap = true;
      return undefined;
    }
    const isItem = LIST_ITEM.test(line);
    const isIndented = /^(?: {2,}|\t)/.test(line);
    if (isAfterBlank && isList && isIndented) {
      add('');
      isAfterBlank = false;
    } else if (isAfterBlank || isItem || HEADING.test(line)) flush();
    isAfterBlank = false;
    const text = line.trimStart();
    const [mark] = FENCE.exec(text) ?? [];
    if (mark !== undefined && !(mark.startsWith('`') && text.includes('`', mark.length))) {
      const isNested = isList && isIndented;
      if (!isNested) flush();
      fence = { mark, opening: isNested || line.length - text.length > 3 ? undefined : line };
    }
    add(line);
    isList ||= isItem && lines.length === 1;
    if (HEADING.test(line) && lines.length === 1) flush();
    if (size > MAX_BLOCK) flush(true);
    return undefined;
  }

  function take(): readonly MarkdownBlock[] {
    const blocks = done;
    done = [];
    return blocks;
  }

  return {
    push(text: string): readonly MarkdownBlock[] {
      const pieces = (partial + text).split('\n');
      partial = pieces.pop() ?? '';
      for (const line of pieces) addLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (partial.length > MAX_BLOCK) {
        add(partial);
        partial = '';
        flush(fence === undefined);
        fence = undefined;
      }
      return take();
    },
    end(): readonly MarkdownBlock[] {
      if (partial !== '') addLine(partial);
      partial = '';
      flush();
      fence = undefined;
      hasGap = false;
      return take();
    },
    /** Forgets what is not complete. */
    discard(this: void): void {
      lines = [];
      size = 0;
      partial = '';
      fence = undefined;
      isList = false;
      isAfterBlank = false;
      hasGap = false;
      done = [];
    },
    /** The last line of what is not complete. */
    tail: (): string => (partial === '' ? (lines.at(-1) ?? '') : partial),
  };
}
