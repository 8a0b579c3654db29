/** A text to be found, by its key. */
export interface SearchText {
  readonly key: string;
  readonly text: string;
}

/** How often a word must stand in a text, and how long the text is, before more of it counts less. The usual values. */
const K1 = 1.2;
const B = 0.75;

/** Returns a search that ranks texts by BM25 for a query, best first, those without any of its words left out; ties in the given order. */
export function createBm25(texts: readonly SearchText[]): (query: string, count: number) => readonly string[] {
  const counts = texts.map(({ text }) => countWords(text));
  const average = counts.reduce((sum, words) => sum + words.total, 0) / Math.max(1, counts.length);
  const holders = new Map<string, number>();
  for (const { byWord } of counts) for (const word of byWord.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);

  const weigh = (words: WordCount, word: string): number => {
    const count = words.byWord.get(word) ?? 0;
    if (count === 0) return 0;
    const present = holders.get(word) ?? 0;
    const rarity = Math.log(1 + (texts.length - present + 0.5) / (present + 0.5));
    return (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words.total) / average));
  };
  return (query, count) => {
    const wanted = [...countWords(query).byWord.keys()];
    return texts
      .map(({ key }, index) => {
        const words = counts[index];
        return { key, score: words === undefined ? 0 : wanted.reduce((sum, word) => sum + weigh(words, word), 0) };
      })
      .filter((entry) => entry.score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, count)
      .map((entry) => entry.key);
  };
}

interface WordCount {
  readonly byWord: ReadonlyMap<string, number>;
  readonly total: number;
}

function countWords(text: string): WordCount {
  const byWord = new Map<string, number>();
  const words = wordsOf(text);
  for (const word of words) byWord.set(word, (byWord.get(word) ?? 0) + 1);
  return { byWord, total: words.length };
}

/** Words in lower case; names are split at `_`, `-` and inner capitals, and a plural counts as its singular. */
function wordsOf(text: string): readonly string[] {
  const spaced = text.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').toLowerCase();
  const words = spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) =>
    word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word,
  );
}
