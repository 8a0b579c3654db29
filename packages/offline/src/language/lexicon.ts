/** Words of English; nothing here knows a tool. The sets hold stems as `stemOf` returns them, unless they say otherwise. */

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

export function wordsOf(text: string): readonly string[] {
  return (
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .match(WORD)
      ?.map(plain) ?? []
  );
}

const stems = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).map(stemOf));

/** Words that carry no meaning for the choice of a tool. Lower-case words, not stems. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those there here it its it's i me my we us our you your he she they them their
  is are was were be been being am do does did done doing have has had having will would shall should can could may might must
  to of in on at by for with from into onto inside within under below than as about over out up down off
  and or but if then so too also both each all any every some no not only just even still please kindly thanks thank
  hi hey ok okay well now right currently quickly exactly actually really again first next
  what what's whats how how's which many much like would'd i'd i'm let's that's there's is't via per let make
  one ones thing things stuff something anything bit lot really very quite more most anywhere somewhere everywhere everything saying`.split(
    /\s+/,
  ),
);

/** Verbs that ask without saying for what: outside a tool's name they count only together with another of the tool's own words. */
export const WEAK_STEMS = stems(
  'show tell give get display print say see look check want need know fetch return provide',
);

/** Words that are evidence if a tool mentions them, and no objection if it does not. */
export const NEUTRAL_STEMS: ReadonlySet<string> = new Set([...WEAK_STEMS, ...stems('when where who why current')]);

/**
 * Actions that decide what is asked: a request that begins with one is never for a tool that does not mention it, however well
 * the rest fits.
 */
export const ACTION_STEMS = stems(
  `write compose create make draft invent imagine generate design translate summarise summarize explain describe rewrite
  paraphrase rephrase review refactor fix improve optimise optimize implement code program build compile run execute install deploy
  start stop restart kill delete remove erase rename move copy edit change update modify replace insert append save store upload
  download send mail email post publish reply forward book buy order pay schedule cancel remind call message commit push merge
  count compare analyse analyze classify rank sort recommend suggest advise discuss debate argue predict guess plan teach
  sing draw paint play pretend act tell-a-story convert simplify format validate test debug
  close lock unlock encrypt decrypt zip unzip`,
);

export const PART_STEMS = stems(
  'first last line lines size big large small new old long short hidden total half top bottom newest oldest biggest largest smallest',
);

const GROUPS = [
  'folder directory dir|list ls enumerate listing|read cat open view|find search grep locate lookup',
  'mention occur occurrence appear reference contain|time clock|date day today weekday',
  'calculate compute evaluate solve calc calculator calculation|add plus sum|subtract minus difference|multiply product multiplied',
  'divide quotient divided|delete remove erase rm|picture image photo|weather forecast|email mail|town city|buy purchase|roll throw|flip toss',
  'big large|start launch begin|use used using usage',
].flatMap((line) => line.split('|'));

const CONCEPTS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap((group) => {
    const [head = '', ...rest] = group.split(' ').map(stemOf);
    return rest.map((stem) => [stem, head] as const);
  }),
);

/** The concept of a word: one stem for a group of synonyms, else its own stem. */
export function conceptOf(word: string): string {
  const stem = stemOf(word);
  return CONCEPTS.get(stem) ?? stem;
}

export function conceptsOf(text: string): readonly string[] {
  return wordsOf(text).map(conceptOf);
}

const COMMANDS = new Set(['list', 'read', 'find', 'calculate'].map(conceptOf));

export function isAction(word: string): boolean {
  const stem = stemOf(word);
  return ACTION_STEMS.has(stem) || WEAK_STEMS.has(stem) || COMMANDS.has(conceptOf(word));
}
