import { expect, test } from 'vitest';
import { byScript, forScripts, hasAsciiLetters } from '../src/language/by-script.ts';

const TEXTS = ['plain words 12', 'a_b-c.d@e', "it's “quoted” – and…", '', ' \n\t', 'MIXED Case 3x4'];

test('text with ASCII letters gets an expression that matches the same as the one for all scripts', () => {
  for (const source of ['[\\p{L}\\p{N}_]+', '[^\\p{L}]', '(?<![\\p{L}])[\\p{N}](?![\\p{N}])', '[\\p{L}]$']) {
    const pattern = forScripts(source, 'g');
    for (const text of TEXTS) {
      expect(hasAsciiLetters(text)).toBe(true);
      expect(text.match(byScript(text, pattern))).toEqual(text.match(new RegExp(source, 'gu')));
    }
  }
});

test('text with a letter, a digit or a mark of another script gets the one for all scripts', () => {
  for (const text of ['straße', 'Ωmega', '٣', 'e\u0301', '\u{1F600}', 'ﬁle']) {
    expect(hasAsciiLetters(text)).toBe(false);
    expect(byScript(text, forScripts('[\\p{L}]')).flags).toBe('u');
  }
});
