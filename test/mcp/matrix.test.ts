import { readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { CELLS, expectedOf, README, tableOf, withTable } from './matrix/cells.ts';
import { runCell } from './matrix/run-cell.ts';

test.each(CELLS)('$peer, revision $revision, over $transport', async (cell) => {
  verifies('mcp.matrix');
  expect(await runCell(cell)).toBe(expectedOf(cell));
});

test('the matrix in the README of the package is what was measured; `pnpm conformance:matrix` writes it', () => {
  verifies('mcp.matrix');
  const readme = readFileSync(README, 'utf8');
  expect(withTable(readme, tableOf(expectedOf))).toBe(readme);
});
