// Runs every cell of the matrix, prints the table and writes it into packages/mcp/README.md. Exits 1 if a cell is not what it must be.
import { readFileSync, writeFileSync } from 'node:fs';
import { CELLS, expectedOf, README, tableOf, withTable } from './matrix/cells.ts';
import { runCell } from './matrix/run-cell.ts';

const verdicts = new Map<string, string>();
for (const cell of CELLS) {
  const name = Object.values(cell).join(', ');
  try {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    verdicts.set(name, await runCell(cell));
  } catch (error) {
    console.error(`${name}:`, error);
    verdicts.set(name, 'fails');
  }
  if (verdicts.get(name) !== expectedOf(cell)) process.exitCode = 1;
}
const table = tableOf((cell) => verdicts.get(Object.values(cell).join(', ')) ?? '');
console.log(table);
writeFileSync(README, withTable(readFileSync(README, 'utf8'), table));
