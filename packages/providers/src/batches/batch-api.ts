import { KernelError } from '@kernel/protocol';
import { httpError, replyError } from '../http/errors.ts';
import { excerpt, findVendorError } from '../http/vendor-error.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, type Fields, parseJson } from '../json-fields.ts';
import { readLines } from '../stream/line-stream.ts';
import type { WireContext } from '../wire/wire-context.ts';
import type { Batch } from './types.ts';

export interface EncodedBatchRequest {
  readonly id: string;
  readonly model: string;
  readonly body: string;
}

export type VendorResult =
  | { readonly id: string; readonly reply: string }
  | { readonly id: string; readonly error: KernelError };

export interface BatchOperations {
  /** In requests, and in characters of JSON. */
  readonly limits: { readonly requests: number; readonly characters: number };
  submit(items: readonly EncodedBatchRequest[], signal: AbortSignal | undefined): Promise<Batch>;
  get(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  cancel(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  /** In any order. Throws `CONFIG_INVALID` while the batch runs. */
  results(id: string, signal: AbortSignal | undefined): AsyncIterable<VendorResult>;
}

export interface BatchApi {
  readonly name: string;
  /** A GET, or with a body a POST. */
  send(path: string, signal: AbortSignal | undefined, body?: PostBody): Promise<Fields>;
  lines(path: string, signal: AbortSignal | undefined): AsyncIterable<string>;
  errorOf(value: unknown, status?: number): KernelError;
  /** At most 1,000 characters, without secrets. */
  excerptOf(text: string): string;
}

export interface PostBody {
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly body: string | Uint8Array;
}

const MAX_EXCERPT_LENGTH = 1000;

export function readResultLine(provider: string, line: string): Fields {
  const fields = asFields(parseJson(line));
  if (fields !== undefined) return fields;
  throw new KernelError(
    'PROVIDER_PROTOCOL',
    `${provider}: a line of the results is not valid JSON, or it was cut short.`,
    {
      hint: 'Read the results again.',
      retryable: true,
    },
  );
}

export function createBatchApi(name: string, { client, limits, redactor }: WireContext): BatchApi {
  const accept = 'application/json';
  return {
    name,
    async send(path, signal, post) {
      const request =
        post === undefined
          ? ({ method: 'GET', path, contentType: '', accept, body: '' } as const)
          : { path, contentType: post.contentType ?? accept, accept, body: post.body };
      const text = await requestText(client, request, signal);
      const reply = asFields(parseJson(text));
      // A failed batch of Gemini has an error beside its name: it is read as a batch, not thrown.
      if (reply?.['name'] !== undefined) return reply;
      return asFields(parseJsonResponse(name, text, redactor)) ?? {};
    },
    lines: (path, signal) =>
      readLines(client, { method: 'GET', path, contentType: '', accept: '*/*', body: '' }, limits.lineLength, signal),
    excerptOf: (text) => excerpt(redactor.text(text), MAX_EXCERPT_LENGTH),
    errorOf(value, status) {
      if (status !== undefined) return httpError(name, status, {}, JSON.stringify(value ?? {}), redactor);
      const error = findVendorError({ error: value }) ?? {
        message: 'the request failed, and the vendor does not say why',
      };
      return replyError(name, error, redactor);
    },
  };
}
