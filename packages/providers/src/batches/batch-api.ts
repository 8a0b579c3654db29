import { KernelError } from '@kernel/protocol';
import { httpError, replyError } from '../http/errors.ts';
import { excerpt, findVendorError } from '../http/vendor-error.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, type Fields, parseJson } from '../json-fields.ts';
import { readLines } from '../stream/line-stream.ts';
import type { WireContext } from '../wire/wire-context.ts';
import type { Batch } from './types.ts';

/** A request of a batch, encoded by its wire. @internal */
export interface EncodedBatchRequest {
  /** The id of the request. */
  readonly id: string;
  /** The model. */
  readonly model: string;
  /** The JSON of its body. */
  readonly body: string;
}

/** The vendor's result of one request: the JSON text of a reply, or an error. @internal */
export type VendorResult =
  | { readonly id: string; readonly reply: string }
  | { readonly id: string; readonly error: KernelError };

/** The batch operations of one vendor's API. @internal */
export interface BatchOperations {
  /** The largest batch that the vendor accepts: in requests, and in characters of JSON. */
  readonly limits: { readonly requests: number; readonly characters: number };
  /** Submits a batch. */
  submit(items: readonly EncodedBatchRequest[], signal: AbortSignal | undefined): Promise<Batch>;
  /** Returns the current state of a batch. */
  get(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  /** Asks the vendor to stop a batch. */
  cancel(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  /** Yields the results of a batch in any order. Throws `CONFIG_INVALID` while it runs. */
  results(id: string, signal: AbortSignal | undefined): AsyncIterable<VendorResult>;
}

/** Sends the requests of one provider. @internal */
export interface BatchApi {
  /** The provider's name, for errors. */
  readonly name: string;
  /** Sends a GET, or with a body a POST, and resolves to the object that comes back. */
  send(path: string, signal: AbortSignal | undefined, body?: PostBody): Promise<Fields>;
  /** Yields the lines of a file, without blank ones. */
  lines(path: string, signal: AbortSignal | undefined): AsyncIterable<string>;
  /** The error of a request that the vendor reports as failed, with its status if it has one. */
  errorOf(value: unknown, status?: number): KernelError;
  /** The first 1,000 characters of a vendor's text, without secrets. */
  excerptOf(text: string): string;
}

/** The body of a POST. @internal */
export interface PostBody {
  /** Its media type. Default `application/json`. */
  readonly contentType?: string;
  /** The body, as it is sent. */
  readonly body: string | Uint8Array;
}

const MAX_EXCERPT_LENGTH = 1000;

/** Reads one line of a file of results. Throws a retryable `PROVIDER_PROTOCOL` for anything but a JSON object. @internal */
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

/** Creates the sender for the batch operations of one provider. @internal */
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
