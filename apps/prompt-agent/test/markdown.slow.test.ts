import { timeGrowth, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { loadHighlighter } from '../src/markdown/highlight.ts';
import { renderBlock } from '../src/markdown/render-block.ts';
import { createBlockSplitter } from '../src/markdown/split-blocks.ts';
import { encodeLine } from '../src/output/terminal/spans.ts';

const COLORS = { width: 60, hasColors: true, hasLinks: true };

function render(source: string): string {
  const splitter = createBlockSplitter();
  return [...splitter.push(source), ...splitter.end()]
    .flatMap((each) => renderBlock(each, COLORS).map((line) => encodeLine(line, COLORS)))
    .join('\n');
}

test.each([
  ['one line', (size: number) => 'a'.repeat(size)],
  ['many lines', (size: number) => 'a b\n'.repeat(size / 4)],
  ['emphasis', (size: number) => '*a'.repeat(size / 2)],
  ['brackets', (size: number) => '[a]('.repeat(size / 4)],
  ['quotes', (size: number) => '> '.repeat(size / 2)],
  ['list items', (size: number) => '- a\n'.repeat(size / 4)],
  ['a table', (size: number) => `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(size / 6)}`],
  ['code', (size: number) => `\`\`\`ts\n${'const a = (b) => `${c}`;\n'.repeat(size / 24)}`],
])('the time to lay out %s grows with its length', async (_, make) => {
  verifies('cli.look.safe');
  await loadHighlighter();
  // A block is bounded, so that the sizes begin above its bound.
  const growth = await timeGrowth({ make, work: (text) => render(text), largest: 262_144, doublings: 3 });
  expect(growth).toBeLessThan(3);
});
