import { timeGrowth, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { jsonPieces } from '../../src/output/json-pieces.ts';

const piecesOf = (text: string): readonly string[] => [...jsonPieces(text)].map((piece) => piece.text);

test.each([
  ['the last one first', 'First {"a":1}, then [2].', ['[2]', '{"a":1}']],
  ['not what is within another one', '{"a":{"b":[1]}}', ['{"a":{"b":[1]}}']],
  ['what is within brackets that are no JSON', '{note: {"a":1}, [the rest]: [1]}', ['[1]', '{"a":1}']],
  ['no words in brackets', 'Using {curly} braces and [the numbers].', []],
  ['brackets within strings as text', 'It is {"a":"}]{["} for sure', ['{"a":"}]{["}']],
  ['escaped quotes as text', '{"a":"\\"}"}', ['{"a":"\\"}"}']],
  ['what follows a bracket that is closed by another kind', '[ {curly ] and {"a":1}', ['{"a":1}']],
  ['what follows a bracket that is never closed', 'if (x) { and {"a":1}', ['{"a":1}']],
  ['what follows a quote that is never closed', '{say "hi}\n{"a":1}', ['{"a":1}']],
])('finds %s', (_what, text, pieces) => {
  verifies('output.pieces');
  expect(piecesOf(text)).toEqual(pieces);
});

test('of many pieces it gives the last thousand', () => {
  const found = piecesOf(Array.from({ length: 5_000 }, (_, index) => `[${index}]`).join(' '));
  expect(found).toHaveLength(1_000);
  expect(found[0]).toBe('[4999]');
});

test.each<[string, (length: number) => string]>([
  ['brackets that are never closed', (length) => '{'.repeat(length)],
  ['brackets that are nested', (length) => '['.repeat(length / 2) + 'x' + ']'.repeat(length / 2)],
  ['brackets of both kinds', (length) => '[{'.repeat(length / 4) + '}]'.repeat(length / 4)],
  ['quotes that are escaped and never closed', (length) => `{"${'\\"'.repeat(length / 2)}`],
  ['many pieces', (length) => '[x] {} '.repeat(length / 7)],
  ['pieces within brackets that are never closed', (length) => '{ {}'.repeat(length / 4)],
])('%s are read in linear time', async (_what, make) => {
  verifies('output.pieces');
  expect(await timeGrowth({ make, work: piecesOf, largest: 128 * 1024 })).toBeLessThan(3);
});
