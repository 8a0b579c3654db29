import { describe, expect, test } from 'vitest';
import { escapeCharacter, terminalText, visible, visibleLine, visibleText } from '../src/index.ts';

const FAMILY = '👨\u200D👩\uFE0F';

test('a character is written as JavaScript writes it', () => {
  expect(['\u001B', '\u200B', '\u{E0041}', '\uD800'].map(escapeCharacter)).toEqual([
    String.raw`\x1b`,
    String.raw`\u200b`,
    String.raw`\u{e0041}`,
    String.raw`\ud800`,
  ]);
});

describe('what may show as nothing or as something else', () => {
  const hidden = [
    '\u0000',
    '\u001B',
    '\u0085',
    '\u00AD',
    '\u202E',
    '\u200B',
    '\uFEFF',
    '\u3164',
    '\u2800',
    '\u{E0041}',
    '\uD800',
  ];

  test.each(hidden)('is written out where a person approves, and in text for a person and a model: %j', (character) => {
    for (const write of [visible, visibleText]) expect(write(`a${character}b`)).toBe(`a${escapeCharacter(character)}b`);
  });

  test('stays in text where scripts and emoji need it, and is written out where a person approves', () => {
    expect(visibleText(`${FAMILY}\tb\r\nc`)).toBe(`${FAMILY}\tb\nc`);
    expect(visible(`${FAMILY}\tb\nc\u00A0d`)).toBe(String.raw`👨\u200d👩\ufe0f\x09b` + '\n' + String.raw`c\xa0d`);
  });

  test('is written out on one line, with what would break the line', () => {
    expect(visibleLine('a\nb\u202Ec')).toBe(String.raw`a\x0ab\u202ec`);
  });
});

test('text for a terminal cannot act on it, whatever pieces it comes in, and is otherwise as it was', () => {
  const text = `${FAMILY} a\u001B[2J\u202Eb\u200Bc\t\n`;
  expect(terminalText(text)).toBe(String.raw`${FAMILY} a\x1b[2J\u202eb` + '\u200Bc\t\n');
  expect(Array.from(text, (piece) => terminalText(piece)).join('')).toBe(terminalText(text));
});
