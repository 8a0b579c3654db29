import { toJsonText } from '@kernel/internal';
import type { Redactor } from '@kernel/internal';
import type { AuthenticatedClient } from './authenticated-client.ts';
import { parseJsonResponse, requestText } from './response-text.ts';

export async function postJson(
  { client, redactor }: { readonly client: AuthenticatedClient; readonly redactor: Redactor },
  provider: string,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const request = {
    path,
    contentType: 'application/json',
    accept: 'application/json',
    body: toJsonText(body),
  };
  return parseJsonResponse(provider, await requestText(client, request, signal), redactor);
}
