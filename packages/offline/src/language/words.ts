/** Letters of any script, for the brackets of an expression: `\p{L}` and the flag `u` would take ten times as long to compile. */
export const LETTER = String.raw`A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u1fff\u2070-\u209f\u2100-\u218f\u2c00-\u2dff\u3005-\uffff`;
export const LETTER_OR_DIGIT = String.raw`${LETTER}\d\xb2\xb3\xb9\xbc-\xbe`;

const WORD = new RegExp(`[${LETTER_OR_DIGIT}]+(?:['’][${LETTER}]+)?`, 'g');

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

export function plain(text: string): string {
  const ascii = /[\x80-\uffff]/.test(text) ? text.normalize('NFD').replaceAll(/[\u0300-\u036F]/g, '') : text;
  return ascii.toLowerCase();
}

/** Splits an identifier or a sentence into lower-case words: `readFile`, `read_file` and `read file` give the same. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .match(WORD)
      ?.map(plain) ?? []
  );
}
