import { visibleText } from '@kernel/internal';
import { quote, toolError } from '../workspace/errors.ts';
import type { FileInfo } from '../workspace/index.ts';
import type { MemoryFiles } from './memory-files.ts';
import { toMemoryPath } from './memory-path.ts';

const MAX_LINES = 999_999;
const MAX_VIEWED_BYTES = 1_048_576;
const MAX_LISTED = 500;
const UNITS = ['B', 'K', 'M', 'G', 'T'] as const;

export async function viewFolder(files: MemoryFiles, path: string, signal: AbortSignal): Promise<string> {
  const shown = toMemoryPath(path);
  const all = await files.entries(path, signal);
  const depth = path === '.' ? 0 : path.split('/').length;
  const near = all.filter((entry) => entry.path.split('/').length <= depth + 2);
  const total = all.reduce((sum, { isFolder, size }) => sum + (isFolder ? 0 : size), 0);
  const lines = [
    `${humanSize(total)}\t${shown}`,
    ...near
      .slice(0, MAX_LISTED)
      .map((entry) => `${humanSize(entry.size)}\t${visibleText(toMemoryPath(entry.path))}${entry.isFolder ? '/' : ''}`),
    ...(near.length > MAX_LISTED ? [`… (${near.length - MAX_LISTED} more)`] : []),
  ];
  return `Here're the files and directories up to 2 levels deep in ${shown}, excluding hidden items and node_modules:\n${lines.join('\n')}`;
}

/** The lines of a text with their numbers, or those of a range: the first and the last one, of which -1 is the end. */
export function viewText(path: string, text: string, range: readonly number[] | undefined): string {
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) throw toolError(`File ${path} exceeds maximum line limit of 999,999 lines.`);
  const [from = 1, to = -1] = range ?? [];
  const start = Math.max(1, from) - 1;
  const wanted = lines.slice(start, to === -1 ? lines.length : Math.max(start, to));
  if (wanted.length === 0)
    throw toolError(
      `Invalid \`view_range\` parameter: [${from}, ${to}]. It should be within the lines of the file: [1, ${lines.length}]`,
    );
  return `Here's the content of ${path} with line numbers:\n${numbered(wanted, start + 1)}`;
}

export function numbered(lines: readonly string[], first: number): string {
  return lines
    .map((line, index) => `${String(first + index).padStart(6)}\t${visibleText(`${line}\n`).slice(0, -1)}`)
    .join('\n');
}

export async function readMemory(
  { workspace }: MemoryFiles,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly info: FileInfo }> {
  const { bytes, ...info } = await workspace.read(path, { maxBytes: MAX_VIEWED_BYTES, signal });
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), info };
  } catch {
    throw toolError(`${quote(toMemoryPath(path))} is not UTF-8 text.`);
  }
}

/** Returns a text such as `0B`, `340B`, `1.5K` or `4K`. */
function humanSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${UNITS[unit] ?? ''}`;
}
