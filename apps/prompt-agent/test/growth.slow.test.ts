import { terminalText } from '@kernel/internal';
import { duplicateKeys } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { test } from 'vitest';
import { expectLinear } from '../../../test/setup/growth.ts';
import { loadHighlighter } from '../src/markdown/highlight.ts';
import { renderBlock } from '../src/markdown/render-block.ts';
import { createBlockSplitter } from '../src/markdown/split-blocks.ts';
import { splitCommand } from '../src/options/split-command.ts';
import { oneLine, safeJson } from '../src/output/escape.ts';
import { showCall } from '../src/questions/show-call.ts';
import { encodeLine } from '../src/output/terminal/spans.ts';
import { wrapLines } from '../src/output/terminal/wrap-lines.ts';
import { evaluate } from '../src/tools/evaluate.ts';

const many = (size: number, unit: string): string => unit.repeat(Math.ceil(size / unit.length));
const keys = (size: number): string =>
  `{${Array.from({ length: Math.ceil(size / 10) }, (_, at) => `"k${at}":1`).join()}}`;
const show = (json: string): unknown => wrapLines(showCall('a', json), 80);
const calculate = (text: string): unknown => {
  try {
    return evaluate(text);
  } catch (error) {
    return error;
  }
};
const split = (text: string): unknown => {
  try {
    return splitCommand(text);
  } catch (error) {
    return error;
  }
};

test.each<readonly [string, (size: number) => string, (text: string) => unknown]>([
  ['controls', (size) => many(size, '\u001b['), terminalText],
  ['line ends', (size) => many(size, '\r\n\r'), terminalText],
  ['marks of direction', (size) => many(size, '\u202e'), safeJson],
  ['white space', (size) => many(size, ' \n'), (text) => oneLine(text)],
  ['keys', keys, duplicateKeys],
  ['quotation marks', (size) => many(size, '\\"'), duplicateKeys],
  ['texts and white space', (size) => many(size, `"a"${' '.repeat(100)}`), duplicateKeys],
  ['a call with many keys', keys, show],
  ['a call with invisible characters', (size) => JSON.stringify(many(size, '\u200b\u2007')), show],
  ['a call with a key that is there again and again', (size) => `{${many(size, '"a":1,')}"a":1}`, show],
  ['a sum', (size) => `${many(size, '1+')}1`, calculate],
  ['parentheses', (size) => many(size, '('), calculate],
  ['digits', (size) => many(size, '1'), calculate],
  ['spaces in a sum', (size) => `1${many(size, ' ')}`, calculate],
  ['factorials', (size) => `1${many(size, '!')}`, calculate],
  ['a command', (size) => many(size, 'a "b" '), split],
  ['a command that breaks off', (size) => `"${many(size, '\\')}`, split],
])('%s: read in linear time', async (_, make, work) => {
  verifies('program.linear');
  await expectLinear({ make, work, largest: 8192 });
});

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
])('%s: laid out in linear time', async (_, make) => {
  verifies('cli.look.safe');
  await loadHighlighter();
  await expectLinear({ make, work: (text) => render(text), largest: 65_536 });
});
