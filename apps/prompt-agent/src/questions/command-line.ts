import { markInvisible } from '../output/terminal/visible.ts';

/** Words that a shell takes as they are. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** Letters of one script beside those of another one that look the same. */
const MIXED =
  /[A-Za-z][\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}][A-Za-z]/u;

/**
 * Writes an argument vector as one would type it into a shell, so that no two look alike: what is not plain ASCII is quoted, and a word with characters
 * that do not show, or do not show as what they are, is written as `$'…'` with those escaped.
 */
export function commandLine(words: readonly string[]): string {
  return words.map((word, index) => quoteWord(word, index === 0)).join(' ');
}

function quoteWord(word: string, isFirst: boolean): string {
  // A first word with `=` would set a variable.
  if (PLAIN.test(word) && !(isFirst && word.includes('='))) return word;
  const isForeign = MIXED.test(word) || word !== word.normalize('NFC');
  if (!isForeign && markInvisible(word) === word && !word.includes('\n'))
    return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const escaped = Array.from(word, (character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    if (character === '\n') return String.raw`\n`;
    return isForeign && character > '\u007e' ? codeOf(character) : escapeInvisible(character);
  });
  return `$'${escaped.join('')}'`;
}

function escapeInvisible(character: string): string {
  return markInvisible(character) === character ? character : codeOf(character);
}

/** A character as bash reads it within `$'…'`. */
function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
