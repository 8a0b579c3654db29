import * as z from 'zod';
import { readBody } from '../read-body.ts';

/** A request for the models of a vendor. */
export interface ModelListRequest {
  /** The name of the provider, which decides the form of the request. */
  readonly provider: string;
  /** The address of its API. */
  readonly baseUrl: string;
  /** The key. */
  readonly token: string | undefined;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

const listSchema = z.union([
  z.object({ data: z.array(z.object({ id: z.string() })) }).transform(({ data }) => data.map(({ id }) => id)),
  z.array(z.object({ id: z.string() })).transform((data) => data.map(({ id }) => id)),
  z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .transform(({ models }) => models.map(({ name }) => name.replace(/^models\//, ''))),
]);

/**
 * Asks a vendor for its models: `GET /v1/models` of OpenAI and of those that speak its API, that of Anthropic, and `GET /v1beta/models` of Gemini. Follows
 * no redirect, so that no key leaves its vendor. Rejects with an error that says the status.
 */
export async function fetchModelList({
  provider,
  baseUrl,
  token,
  signal,
}: ModelListRequest): Promise<readonly string[]> {
  // The error that `fetch` throws for it would quote the key.
  if (!/^[\t -~]*$/.test(token ?? '')) throw new Error('the key contains a character that no header can carry');
  const { path, headers } = formOf(provider, token);
  const base = baseUrl.replace(/(?<!\/)\/+$/, '').replace(/\/v1(?:beta)?$/, '');
  const response = await fetch(`${base}${path}`, {
    headers,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the list of models was not given (status ${response.status})`);
  }
  const parsed = listSchema.safeParse(JSON.parse(await readBody(response, MAX_BYTES)));
  if (!parsed.success) throw new Error('the reply is not a list of models');
  return parsed.data.toSorted();
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
