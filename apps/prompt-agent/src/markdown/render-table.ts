import type { Tokens } from 'marked';
import type { Line, Span } from '../output/terminal/spans.ts';
import { lineWidth } from '../output/terminal/text-width.ts';
import { wrapSpans } from '../output/terminal/wrap-spans.ts';
import { type MarkdownLook, renderInline } from './render-inline.ts';

/** The narrowest column; where not all columns can have it, each row becomes a list of its cells. */
const MIN_COLUMN = 6;
const SEPARATOR = 3;

/** Lays out a table within the width: columns that are too wide are wrapped, and a table of too many columns becomes one list a row. */
export function renderTable(table: Tokens.Table, look: MarkdownLook): readonly Line[] {
  const header = table.header.map((cell) => renderInline(cell.tokens, look, ['bold']));
  const rows = table.rows.map((row) => row.map((cell) => renderInline(cell.tokens, look)));
  const natural = header.map((cell, column) =>
    Math.max(1, lineWidth(cell), ...rows.map((row) => lineWidth(row[column] ?? []))),
  );
  const room = look.width - SEPARATOR * (natural.length - 1);
  const widths = fitColumns(natural, room);
  if (widths === undefined) return renderRecords(header, rows, look);
  const line = (cells: readonly Line[]): readonly Line[] => renderRow(cells, widths, table.align);
  const rule: Line = [{ text: widths.map((width) => '─'.repeat(width)).join('─┼─'), styles: ['dim'] }];
  return [...line(header), rule, ...rows.flatMap((row) => line(row))];
}

/** Takes from the widest columns until all fit; `undefined` if they cannot. */
function fitColumns(natural: readonly number[], room: number): readonly number[] | undefined {
  if (natural.reduce((sum, width) => sum + Math.min(width, MIN_COLUMN), 0) > room) return undefined;
  // The widest width that a column may have so that all fit: found by halving.
  let [low, high] = [MIN_COLUMN, Math.max(...natural, MIN_COLUMN)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (natural.reduce((sum, width) => sum + Math.min(width, middle), 0) <= room) low = middle;
    else high = middle - 1;
  }
  return natural.map((width) => Math.min(width, low));
}

function renderRow(cells: readonly Line[], widths: readonly number[], align: Tokens.Table['align']): readonly Line[] {
  const wrapped = widths.map((width, column) => wrapSpans(cells[column] ?? [], width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths.flatMap((width, column): readonly Span[] => {
      const line = wrapped[column]?.[row] ?? [];
      const blank = Math.max(0, width - lineWidth(line));
      const before = align[column] === 'right' ? blank : align[column] === 'center' ? Math.floor(blank / 2) : 0;
      const isLast = column === widths.length - 1;
      return [
        { text: ' '.repeat(before) },
        ...line,
        { text: isLast ? '' : ' '.repeat(blank - before) },
        ...(isLast ? [] : [{ text: ' │ ', styles: ['dim'] } as const]),
      ];
    }),
  );
}

function renderRecords(
  header: readonly Line[],
  rows: readonly (readonly Line[])[],
  look: MarkdownLook,
): readonly Line[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...row.flatMap((cell, column) => wrapSpans([...(header[column] ?? []), { text: ': ' }, ...cell], look.width)),
  ]);
}
