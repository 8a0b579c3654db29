import { copyBytes, decodeUtf8, onAbort, type Redactor, toJsonText } from '@kernel/internal';
import { concatBytes } from './join-bytes.ts';
import { KernelError } from '@kernel/protocol';
import { parseJson } from '../json-fields.ts';
import type { ApiRequest, AuthenticatedClient } from './authenticated-client.ts';
import { protocolError, replyError } from './errors.ts';
import type { ResponseHeaders } from './transport.ts';
import type { HttpRequest } from './request.ts';
import { describeHtmlPage, findVendorError } from './vendor-error.ts';

/** An abort rejects with `signal.reason` and closes the socket. */
export async function requestText(
  client: AuthenticatedClient,
  request: ApiRequest,
  signal: AbortSignal | undefined,
): Promise<string> {
  return (await requestReply(client, request, signal)).text;
}

export function requestReply(
  client: AuthenticatedClient,
  request: ApiRequest,
  signal: AbortSignal | undefined,
): Promise<{ readonly text: string; readonly headers: ResponseHeaders }> {
  return new Promise((resolve, reject) => {
    const isAborted = (): boolean => signal?.aborted === true;
    if (isAborted()) {
      reject(signal?.reason);
      return;
    }
    const chunks: Uint8Array[] = [];
    let headers: ResponseHeaders = {};
    let sent: HttpRequest | undefined;
    const removeListener = onAbort(signal, () => {
      sent?.close();
      reject(signal?.reason);
    });
    sent = client.open(request, {
      onHeaders: (_, received) => void (headers = received),
      onData(bytes) {
        chunks.push(copyBytes(bytes));
        sent?.extendIdleTimeout(false);
      },
      onEnd() {
        removeListener();
        resolve({ text: decodeUtf8(concatBytes(chunks)), headers });
      },
      onError(error) {
        removeListener();
        reject(error);
      },
    });
    // An abort while the request was being opened, as by a token function, found nothing to close.
    if (isAborted()) sent.close();
  });
}

export function parseJsonResponse(provider: string, text: string, redactor: Redactor): unknown {
  const page = describeHtmlPage(text);
  if (page !== undefined) throw new KernelError('PROVIDER_PROTOCOL', `${provider} answered 200 with ${page}.`);
  const value = parseJson(text);
  if (value === undefined) {
    throw protocolError(provider, 'the reply is not valid JSON, or it was cut short.', { retryable: true });
  }
  const error = findVendorError(value);
  if (error !== undefined) throw replyError(provider, error, redactor);
  return value;
}

/** The client that sends a request, and the data that its errors name. */
interface RequestContext {
  readonly name: string;
  readonly client: AuthenticatedClient;
  readonly redactor: Redactor;
}

/** An error object under status 200 throws. */
export async function requestJson(
  { client, name, redactor }: RequestContext,
  request: ApiRequest,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return parseJsonResponse(name, await requestText(client, request, signal), redactor);
}

export async function postJson(
  context: RequestContext,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return requestJson(context, { path, body: toJsonText(body) }, signal);
}
