import { objectSchema } from '../../object-schema.ts';
import { checkFunctions, type Tool, type ToolContext, type ToolWithHandler, type ToolResult } from '@kernel/protocol';
import { seenText } from '../../text/fold-text.ts';
import type { SearchEngine, SearchResult } from './types.ts';

const DEFAULT_COUNT = 8;

const TOOL: Tool = {
  name: 'web_search',
  title: 'Search the web',
  description: 'Searches the web and returns addresses, titles and a few words of each page.',
  parameters: objectSchema(['query'], {
    query: { type: 'string', minLength: 1, maxLength: 400, description: 'What to search for.' },
    count: { type: 'integer', minimum: 1, maximum: 20, description: 'How many results.' },
  }),
  // The words of a query are told to the search engine.
  effect: 'external',
  metadata: {
    category: 'research',
    usageHint: 'To find pages about something that is not known yet.',
    examples: [{ description: 'Search the web for HTTP 103', input: { query: 'HTTP status 103' } }],
  },
};

/**
 * Creates the tool `web_search` for a search engine: `searxng`, `braveSearch`, or your own.
 *
 * @example
 * ```ts
 * import { searxng, webSearchTool } from '@kernel/toolbox/web';
 * import { createRegistry } from '@kernel/tools';
 *
 * const tools = createRegistry([webSearchTool(searxng({ baseUrl: 'http://127.0.0.1:8888' }))]);
 * ```
 */
export function webSearchTool(engine: SearchEngine): ToolWithHandler {
  checkFunctions('webSearchTool', { 'engine.search': Reflect.get(engine, 'search') });
  const handler = async (
    { query, count = DEFAULT_COUNT }: { readonly query: string; readonly count?: number },
    { signal }: ToolContext,
  ): Promise<ToolResult> => {
    const results = (await engine.search({ query, count, signal })).map(asSeen);
    const lines = results.map(
      ({ url, title, snippet }, index) => `${index + 1}. ${title}\n   ${url}${snippet === '' ? '' : `\n   ${snippet}`}`,
    );
    const data = { results };
    return { forLLM: lines.length === 0 ? `Nothing was found for ${JSON.stringify(query)}.` : lines.join('\n'), data };
  };
  return { tool: TOOL, handler };
}

/** A result of which each part is one line, so that none can look like another result. */
function asSeen({ snippet, title, url }: SearchResult): Record<keyof SearchResult, string> {
  return { url: oneLine(url).replaceAll(' ', '%20'), title: oneLine(title), snippet: oneLine(snippet) };
}

function oneLine(text: string): string {
  return seenText(text).replaceAll(/\s+/g, ' ').trim();
}
