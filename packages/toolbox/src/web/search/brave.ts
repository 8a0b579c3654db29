import { KernelError } from '@kernel/protocol';
import { getJson, toResults } from './get-json.ts';
import type { SearchEngine } from './types.ts';

/** Options of `braveSearch`. */
export interface BraveOptions {
  /** The API key of a subscription. */
  readonly token: string;
  /** The address of the API. Default: Brave's own. */
  readonly baseUrl?: string | undefined;
}

const MAX_COUNT = 20;

/**
 * Searches with Brave. Source: its Web Search API, api-dashboard.search.brave.com/app/documentation.
 *
 * @example
 * ```ts
 * import { webSearchTool } from '@kernel/toolbox';
 * import { braveSearch } from '@kernel/toolbox/web';
 *
 * const search = webSearchTool(braveSearch({ token: process.env['BRAVE_TOKEN'] ?? '' }));
 * ```
 */
export function braveSearch(options: BraveOptions): SearchEngine {
  const { token, baseUrl = 'https://api.search.brave.com/res/v1' } = options;
  if (typeof token !== 'string' || token === '')
    throw new KernelError('CONFIG_INVALID', 'braveSearch needs a token.', {
      hint: 'Pass token: process.env.BRAVE_API_KEY.',
    });
  return {
    name: 'Brave',
    async search({ query, count, signal }) {
      const url = new URL(`${baseUrl.replace(/\/$/, '')}/web/search`);
      url.searchParams.set('q', query);
      url.searchParams.set('count', String(Math.min(count, MAX_COUNT)));
      url.searchParams.set('text_decorations', 'false');
      const answer = await getJson('Brave', url, { 'x-subscription-token': token }, signal);
      return toResults(answer, ['web', 'results'], 'description', count);
    },
  };
}
