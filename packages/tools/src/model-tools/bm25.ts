export interface SearchText {
  readonly key: string;
  readonly text: string;
}

/** Saturation of the word frequency and weight of the text length: the usual values. */
const K1 = 1.2;
const B = 0.75;

/** Creates a search that ranks texts by BM25, best first, ties in the given order. Texts without any word of the query are omitted. */
export function createBm25(texts: readonly SearchText[]): (query: string, count: number) => readonly string[] {
  const counts = texts.map(({ text }) => countWords(text));
  const average = counts.reduce((sum, words) => sum + words.total, 0) / Math.max(1, counts.length);
  const documentCounts = new Map<string, number>();
  for (const { byWord } of counts)
    for (const word of byWord.keys()) documentCounts.set(word, (documentCounts.get(word) ?? 0) + 1);

  const scoreWord = (words: WordCount, word: string): number => {
    const count = words.byWord.get(word) ?? 0;
    if (count === 0) return 0;
    const documents = documentCounts.get(word) ?? 0;
    const rarity = Math.log(1 + (texts.length - documents + 0.5) / (documents + 0.5));
    return (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words.total) / average));
  };
  return (query, count) => {
    const queryWords = [...countWords(query).byWord.keys()];
    return texts
      .map(({ key }, index) => {
        const words = counts[index];
        return {
          key,
          score: words === undefined ? 0 : queryWords.reduce((sum, word) => sum + scoreWord(words, word), 0),
        };
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

/** The words of a text in lower case. Names are split at `_`, `-` and inner capitals; a plural counts as its singular. */
function wordsOf(text: string): readonly string[] {
  const spaced = text.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').toLowerCase();
  const words = spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) =>
    word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word,
  );
}
