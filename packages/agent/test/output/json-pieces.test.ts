import { verifies } from '@kernel/testing';
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
