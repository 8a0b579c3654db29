import { visible } from '@kernel/internal';

/** Words that a shell takes as they are. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

const LETTERS = /[\p{L}\p{M}]+/gu;
/** Scripts with letters that look like those of ASCII or of each other. */
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u;
/** Letters of one of those alone, with one among them that no other script has. */
const CLEAR =
  /^(?=.*[бджийлцчшщъыэюяБЖИЙЦЧШЩЪЫЭЮЯ])\p{Script=Cyrillic}+$|^(?=.*[δεζθλμξπσφψΔΘΛΞΠΣΦΨΩ])\p{Script=Greek}+$|^(?=.*[բդըթժխծկձղճմշչջվ])\p{Script=Armenian}+$/u;
/** The scripts in use today whose letters are as certain as what `CLEAR` matches, as Unicode's annex 31 lists them; what money and emoji are. */
const CERTAIN = new RegExp(
  `[\\p{Sc}\\p{Emoji_Presentation}ー]|(?=[\\p{L}\\p{M}])[${'Cyrillic Greek Armenian Arabic Bengali Bopomofo Devanagari Ethiopic Georgian Gujarati Gurmukhi Hangul Han Hebrew Hiragana Kannada Katakana Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('')}]`,
  'u',
);
/** Letters of the Latin script, decomposed, that do not look like others of it. */
const CERTAIN_LATIN = /^(?:[A-Za-z]\p{M}+|[ßæøåœðþđħłŋŧ])$/iu;

/**
 * Writes an argument vector as one would type it into a shell, so that no two look alike: what is not plain ASCII is quoted, and a word with characters
 * that do not show, or could be taken for others, is written as `$'…'` with those escaped.
 */
export function shellQuote(words: readonly string[]): string {
  return words.map((word, index) => quoteWord(word, index === 0)).join(' ');
}

function quoteWord(word: string, isFirst: boolean): string {
  // A first word with `=` would set a variable.
  if (PLAIN.test(word) && !(isFirst && word.includes('='))) return word;
  if (!word.includes('\n') && escapeUnclear(word) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${escapeUnclear(word.replaceAll(/['\\]/g, String.raw`\$&`)).replaceAll('\n', String.raw`\n`)}'`;
}

/** Escapes what does not show, and what could be taken for something else. */
function escapeUnclear(word: string): string {
  const isComposed = word === word.normalize('NFC');
  const lettered = word.replaceAll(LETTERS, (letters) =>
    CLEAR.test(letters) ? letters : escapeWhere(letters, (letter) => ALIKE.test(letter)),
  );
  return escapeWhere(lettered, (character) => (character > '\u007e' && !isComposed) || isUnclear(character));
}

function escapeWhere(text: string, isEscaped: (character: string) => boolean): string {
  return Array.from(text, (character) => (isEscaped(character) ? codeOf(character) : character)).join('');
}

function isUnclear(character: string): boolean {
  if (character === '\n' || (character > '\u001f' && character < '\u007f')) return false;
  if (visible(character) !== character || character !== character.normalize('NFKC')) return true;
  return !CERTAIN.test(character) && !CERTAIN_LATIN.test(character.normalize('NFD'));
}

/** A character as bash reads it within `$'…'`. */
function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
