import { isObject, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { SearchResult } from './types.ts';

const MAX_TEXT = 1000;
const MAX_ADDRESS = 2000;

/** Reads the results of an answer, found by a path of keys. Results without an http address are left out. */
export function toResults(
  answer: unknown,
  path: readonly string[],
  snippetKey: string,
  count: number,
): readonly SearchResult[] {
  let found = answer;
  for (const key of path) found = isObject(found) ? found[key] : undefined;
  // An engine that found nothing may leave the list out.
  if (found === undefined && isObject(answer)) return [];
  if (!Array.isArray(found))
    throw new KernelError('TOOL_FAILED', 'The search engine gave an answer without a list of results.');
  const results: SearchResult[] = [];
  for (const item of found as readonly unknown[]) {
    if (results.length === count) break;
    if (!isObject(item)) continue;
    const url = item['url'];
    if (typeof url !== 'string' || url.length > MAX_ADDRESS || !/^https?:\/\//i.test(url) || !URL.canParse(url))
      continue;
    results.push({ url: new URL(url).href, title: textOf(item['title']), snippet: textOf(item[snippetKey]) });
  }
  return results;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? sliceHead(value, MAX_TEXT).replaceAll(/\s+/g, ' ').trim() : '';
}
