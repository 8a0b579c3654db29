/** The least length of a fence, and the most space before it, by CommonMark 4.5. */
const MIN_FENCE = 3;
const MAX_INDENT = 3;

interface Fence {
  readonly mark: string;
  readonly length: number;
  readonly indent: number;
  readonly rest: string;
}

/** Returns the code of the first fenced block of a Markdown text, by the rules of CommonMark 4.5, without the fences; `undefined` if there is none. */
export function firstCodeBlock(text: string): string | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => isOpening(readFence(line)));
  const opening = readFence(lines[start] ?? '');
  if (opening === undefined) return undefined;
  const end = lines.findIndex((line, at) => at > start && closes(readFence(line), opening));
  const code = lines.slice(start + 1, end === -1 ? undefined : end);
  return code.length === 0 ? '' : `${code.map((line) => withoutIndent(line, opening.indent)).join('\n')}\n`;
}

function readFence(line: string): Fence | undefined {
  const indent = count(line, 0, ' ');
  const mark = line[indent] ?? '';
  const length = count(line, indent, mark);
  if (indent > MAX_INDENT || (mark !== '`' && mark !== '~') || length < MIN_FENCE) return undefined;
  return { mark, length, indent, rest: line.slice(indent + length) };
}

function isOpening(fence: Fence | undefined): boolean {
  return fence !== undefined && !(fence.mark === '`' && fence.rest.includes('`'));
}

function closes(fence: Fence | undefined, { mark, length }: Fence): boolean {
  return fence !== undefined && fence.mark === mark && fence.length >= length && fence.rest.trim() === '';
}

function withoutIndent(line: string, length: number): string {
  return line.slice(Math.min(length, count(line, 0, ' ')));
}

function count(line: string, from: number, mark: string): number {
  let at = from;
  while (at < line.length && line[at] === mark) at += 1;
  return at - from;
}
