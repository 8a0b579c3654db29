import { byScript, forScripts, hasAsciiLetters } from './by-script.ts';

const WORD = forScripts(String.raw`[\p{L}\p{N}]+(?:['’][\p{L}]+)?`, 'g');

/** Returns a word without case, accents and common English endings, so that `Listing`, `lists` and `list` are equal. It is not a dictionary form. */
export function stemOf(word: string): string {
  let stem = plain(word).replace(/['’]s?$/, '');
  if (stem.length <= 3 || /[^a-z]/.test(stem)) return stem;
  if (stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|x|z|ch|sh)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^su]s$/.test(stem)) stem = stem.slice(0, -1);
  const cut = /^(.*[aeiouy].*?)(?:ing|ed|ation|ion|ly|or|er)$/.exec(stem)?.[1];
  if (cut !== undefined && cut.length >= 3) {
    stem = /([^aeiouls])\1$/.test(cut) ? cut.slice(0, -1) : cut;
    if (stem.length > 4 && stem.endsWith('at')) stem = stem.slice(0, -2);
  }
  if (stem.length > 3 && stem.endsWith('e')) stem = stem.slice(0, -1);
  if (stem.length > 5 && stem.endsWith('at')) stem = stem.slice(0, -2);
  return stem.endsWith('y') ? `${stem.slice(0, -1)}i` : stem;
}

/** Returns text in lower case and without accents. */
export function plain(text: string): string {
  return hasAsciiLetters(text) ? text.toLowerCase() : text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Splits an identifier or a sentence into lower-case words: `readFile`, `read_file` and `read file` give the same. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return spaced.match(byScript(text, WORD))?.map(plain) ?? [];
}
