import { KernelError } from '@kernel/protocol';
import { isObject, sliceHead } from '@kernel/internal';
import type { SearchResult } from './types.ts';

const MAX_BYTES = 4_000_000;
const TIMEOUT_MS = 20_000;

/** Loads JSON of a search engine that the program chose. Rejects with `TOOL_FAILED` that names the engine and never the headers. */
export async function getJson(
  name: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const failed = (reason: string, cause?: unknown): KernelError =>
    new KernelError('TOOL_FAILED', `The search with ${name} failed: ${reason}.`, { cause });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      signal: limit,
      redirect: 'error',
    });
    const text = await readText(response);
    if (text === undefined) throw failed(`its answer is larger than ${MAX_BYTES} bytes`);
    if (!response.ok) throw failed(`it answered ${response.status}${hintFor(response.status)}`);
    return JSON.parse(text);
  } catch (error) {
    signal.throwIfAborted();
    if (KernelError.is(error)) throw error;
    throw failed(limit.aborted ? `it took longer than ${TIMEOUT_MS} ms` : describe(error), error);
  }
}

function hintFor(status: number): string {
  if (status === 401) return ', so its key is wrong';
  if (status === 403)
    return '; a SearXNG server has to allow the format json in its settings, and a key may lack a right';
  return status === 429 ? ', because it was asked too often' : '';
}

function describe(error: unknown): string {
  if (error instanceof SyntaxError) return 'its answer is not valid JSON';
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === '' ? 'it cannot be reached' : `it cannot be reached (${code})`;
}

async function readText(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node leave the chunks open
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_BYTES) return undefined;
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

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
