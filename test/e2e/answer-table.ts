import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE = join(import.meta.dirname, '../../docs/guides/structured-output.md');
const MARK = '<!-- table: typed answers -->';

/** Returns the table of typed answers in the guide: how each schema is asked for, by schema and by column. */
export function readAnswerTable(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const [, after = ''] = readFileSync(GUIDE, 'utf8').split(MARK);
  const rows = after
    .trimStart()
    .split('\n\n', 1)
    .flatMap((table) => table.split('\n'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('`', '')));
  const [[, ...columns] = [], , ...body] = rows;
  return new Map(
    body.map(([name = '', ...cells]) => [name, new Map(columns.map((column, index) => [column, cells[index] ?? '']))]),
  );
}
