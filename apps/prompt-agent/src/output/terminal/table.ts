import { textWidth } from './text-width.ts';

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
