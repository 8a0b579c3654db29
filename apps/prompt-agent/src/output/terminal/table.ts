import type { CommandCall } from '../../command-call.ts';
import { oneLine } from '../escape.ts';
import { cutLine, textWidth } from './text-width.ts';

/** Prints rows as a table, or with `--json` the value that they stand for. */
export function writeRows({ flags, output }: CommandCall, value: unknown, rows: readonly (readonly string[])[]): void {
  if (flags.json === true) output.writeJson(value, 2);
  else for (const line of tableOf(rows)) output.write(`${line}\n`);
}

/** Lays rows out in columns as wide as their longest cell, two spaces apart; the last column is not padded. */
export function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - textWidth(cell)),
      )
      .join('  ')
      .trimEnd(),
  );
}

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  /** Whether it gives way where the table is too wide; the last such column does first. */
  readonly isFlexible?: boolean;
}

const MIN_WIDTH = 8;
const GAP = '  ';
const MAX_CELL = 200;

/** Prints a table that fits the terminal. A column in which nothing stands is left out. */
export function writeColumns({ host, output }: CommandCall, columns: readonly Column[]): void {
  const shown = columns.filter(({ cells }) => cells.some((cell) => cell !== ''));
  output.write(`${tableLines(shown, terminalWidth(host.stdout)).join('\n')}\n`);
}

/** Returns the lines of a table: escaped, aligned, and, where a width is given, cut to fit it. */
export function tableLines(columns: readonly Column[], width: number | undefined): readonly string[] {
  const texts = columns.map(({ title, cells }) => [title, ...cells.map((cell) => oneLine(cell, MAX_CELL))]);
  const widths = texts.map((column) => column.reduce((most, text) => Math.max(most, textWidth(text)), 0));
  if (width !== undefined) {
    let excess = widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width;
    for (let index = columns.length - 1; index >= 0 && excess > 0; index -= 1) {
      if (columns[index]?.isFlexible !== true) continue;
      const kept = Math.max(MIN_WIDTH, (widths[index] ?? 0) - excess);
      excess -= Math.max(0, (widths[index] ?? 0) - kept);
      widths[index] = Math.min(widths[index] ?? 0, kept);
    }
  }
  return (texts[0] ?? []).map((_, row) =>
    texts
      .map((column, index) => fit(column[row] ?? '', widths[index] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

function fit(text: string, width: number): string {
  const cut = cutLine([{ text }], width)
    .map((each) => each.text)
    .join('');
  return cut + ' '.repeat(Math.max(0, width - textWidth(cut)));
}

/** The width of a stream that is a terminal; undefined for any other, which nothing is cut for. */
export function terminalWidth(stream: object): number | undefined {
  const isTerminal = Reflect.get(stream, 'isTTY') === true;
  const columns: unknown = Reflect.get(stream, 'columns');
  return isTerminal ? (typeof columns === 'number' && columns > 0 ? columns : 80) : undefined;
}
