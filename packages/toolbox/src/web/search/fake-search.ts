import type { SearchEngine, SearchQuery, SearchResult } from './types.ts';

/** A search engine for tests. */
export interface FakeSearch extends SearchEngine {
  /** What was searched for, in order. */
  readonly queries: readonly Omit<SearchQuery, 'signal'>[];
}

/** Creates a search engine that finds those of the given pages that contain a word of the query. */
export function fakeSearch(pages: readonly SearchResult[]): FakeSearch {
  const queries: Omit<SearchQuery, 'signal'>[] = [];
  return {
    name: 'fake',
    queries,
    search({ query, count, signal }) {
      signal.throwIfAborted();
      queries.push({ query, count });
      const words = query.toLowerCase().split(/\s+/);
      const contains = ({ title, snippet }: SearchResult): boolean =>
        words.some((word) => `${title} ${snippet}`.toLowerCase().includes(word));
      return Promise.resolve(pages.filter(contains).slice(0, count));
    },
  };
}
