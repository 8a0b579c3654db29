import type { Output } from '../render/output.ts';
import { ask, type Terminal } from './ask.ts';
import { wrapLines } from './visible.ts';

/** The size of a terminal that does not tell it. */
const DEFAULT_SIZE = { rows: 24, columns: 80 };

/**
 * Shows lines and asks a question about them; true only for `y` and `yes`. What is longer than the screen is shown page by page, so that nothing can be
 * approved unseen: the question comes after the last page, and any answer to a page but Enter is no. Throws the reason of an abort.
 */
export async function confirm(
  terminal: Terminal,
  output: Output,
  lines: readonly string[],
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { rows, columns } = sizeOf(terminal);
  const wrapped = wrapLines(lines, columns);
  const height = Math.max(5, rows - 3);
  const pages = Math.ceil(wrapped.length / height);
  for (let page = 1; page < pages; page += 1) {
    const shown = wrapped.slice((page - 1) * height, page * height);
    const show = (): void => {
      for (const line of shown) output.note(line);
      output.note(`(page ${page} of ${pages}: Enter shows the next one, anything else means no)`);
    };
    if ((await ask(terminal, show, signal)).trim() !== '') return false;
  }
  const last = wrapped.slice(Math.max(0, pages - 1) * height);
  const answer = await ask(
    terminal,
    () => {
      for (const line of last) output.note(line);
      output.note(`${question} [y/N]`);
    },
    signal,
  );
  return /^y(?:es)?$/i.test(answer.trim());
}

function sizeOf({ stderr }: Terminal): typeof DEFAULT_SIZE {
  const { rows = 0, columns = 0 } = stderr;
  return { rows: rows > 0 ? rows : DEFAULT_SIZE.rows, columns: columns > 0 ? columns : DEFAULT_SIZE.columns };
}
