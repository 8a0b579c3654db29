import { errorMessage } from '@kernel/internal';
import * as z from 'zod';
import { readBody } from '../files/read-file.ts';

interface ModelListRequest {
  readonly provider: string;
  readonly baseUrl: string;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  readonly warn?: ((text: string) => void) | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_PAGES = 50;

const listSchema = z.union([
  z.object({ data: z.array(z.object({ id: z.string() })) }).transform(({ data }) => data.map(({ id }) => id)),
  z.array(z.object({ id: z.string() })).transform((data) => data.map(({ id }) => id)),
  z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .transform(({ models }) => models.map(({ name }) => name.replace(/^models\//, ''))),
]);

/** What names the next page: that of Gemini, and that of Anthropic. */
const nextSchema = z.union([
  z
    .object({ nextPageToken: z.string().min(1) })
    .transform(({ nextPageToken }) => ['pageToken', nextPageToken] as const),
  // Gateways that speak Anthropic's API leave out `last_id`: it is the id of the last model.
  z
    .object({ has_more: z.literal(true), data: z.array(z.object({ id: z.string() })).min(1) })
    .transform(({ data }) => ['after_id', data.at(-1)?.id ?? ''] as const),
]);

/**
 * Asks a vendor for its models: `GET /v1/models` of OpenAI and of those that speak its API, that of Anthropic, and `GET /v1beta/models` of Gemini. Follows
 * the pages of the last two, each once, and no redirect, so that no key leaves its vendor. Rejects with an error that says the status of the first page.
 */
export async function fetchModelList(request: ModelListRequest): Promise<readonly string[]> {
  const { provider, baseUrl, token, signal: outer, warn } = request;
  // The error that `fetch` throws for it would quote the key.
  if (!/^[\t -~]*$/.test(token ?? '')) throw new Error('the key contains a character that no header can carry');
  const { path, headers } = formOf(provider, token);
  const base = baseUrl.replace(/(?<!\/)\/+$/, '').replace(/\/v1(?:beta)?$/, '');
  const signal = AbortSignal.any([outer, AbortSignal.timeout(TIMEOUT_MS)]);
  const models = new Set<string>();
  const seen = new Set<string>();
  for (let page = ''; ;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- each page names the next
      const body = await fetchPage(`${base}${path}${page}`, headers, signal);
      const parsed = listSchema.safeParse(body);
      if (!parsed.success) throw new Error('the reply is not a list of models');
      for (const model of parsed.data) models.add(model);
      const next = nextSchema.safeParse(body);
      const hasPages = path.includes('?');
      if (!next.success || !hasPages) break;
      page = `&${next.data[0]}=${encodeURIComponent(next.data[1].toWellFormed())}`;
    } catch (error) {
      if (seen.size === 0 || outer.aborted) throw error;
      warn?.(`the list of models broke off: ${errorMessage(error)}`);
      break;
    }
    if (seen.has(page) || seen.size === MAX_PAGES) {
      warn?.('the list of models does not end');
      break;
    }
    seen.add(page);
  }
  return [...models].toSorted();
}

async function fetchPage(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { headers, redirect: 'error', signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the list of models was not given (status ${response.status})`);
  }
  return JSON.parse(await readBody(response, MAX_BYTES));
}

function formOf(provider: string, token = ''): { readonly path: string; readonly headers: Record<string, string> } {
  switch (provider) {
    case 'anthropic':
      return { path: '/v1/models?limit=1000', headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01' } };
    case 'gemini':
      return { path: '/v1beta/models?pageSize=1000', headers: { 'x-goog-api-key': token } };
    case 'openrouter':
      return { path: '/v1/models', headers: {} };
    default:
      return { path: '/v1/models', headers: token === '' ? {} : { authorization: `Bearer ${token}` } };
  }
}
