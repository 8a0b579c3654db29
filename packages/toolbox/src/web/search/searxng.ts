import { getJson, toResults } from './get-json.ts';
import type { SearchEngine } from './types.ts';

/** Options of `searxng`. */
export interface SearxngOptions {
  /** The address of the server, such as `http://127.0.0.1:8888`. Its settings must allow the format `json`. */
  readonly baseUrl: string;
  /** The language of results, such as `en`. Default: the server's. */
  readonly language?: string | undefined;
}

/** Searches with a SearXNG server. Source: its search API, docs.searxng.org/dev/search_api.html. */
export function searxng(options: SearxngOptions): SearchEngine {
  const base = new URL(options.baseUrl);
  return {
    name: 'SearXNG',
    async search({ query, count, signal }) {
      const url = new URL(`${base.pathname.replace(/\/$/, '')}/search`, base);
      url.searchParams.set('q', query);
      url.searchParams.set('format', 'json');
      if (options.language !== undefined) url.searchParams.set('language', options.language);
      return toResults(await getJson('SearXNG', url, {}, signal), ['results'], 'content', count);
    },
  };
}
