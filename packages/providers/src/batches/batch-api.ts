import type { KernelError } from '@kernel/protocol';
import { httpError, replyError } from '../http/errors.ts';
import { findVendorError } from '../http/vendor-error.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, type Fields, parseJson } from '../json-fields.ts';
import { readLines } from '../stream/line-stream.ts';
import type { WireContext } from '../wire/wire-context.ts';
import type { Batch } from './types.ts';

/** A request of a batch in a wire's terms. @internal */
export interface EncodedItem {
  /** Its name in the batch. */
  readonly id: string;
  /** The model. */
  readonly model: string;
  /** The JSON of its body. */
  readonly body: string;
}

/** What a vendor answered to one request: the JSON of a reply, or an error. @internal */
export type VendorResult =
  | { readonly id: string; readonly reply: string }
  | { readonly id: string; readonly error: KernelError };

/** The batches of one vendor in its own terms. @internal */
export interface BatchOperations {
  /** The largest batch: in requests, and in characters of JSON. */
  readonly limits: { readonly requests: number; readonly characters: number };
  /** Submits a batch. */
  submit(items: readonly EncodedItem[], signal: AbortSignal | undefined): Promise<Batch>;
  /** Asks how a batch is doing. */
  get(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  /** Asks the vendor to stop a batch. */
  cancel(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  /** Yields the results of a batch. */
  results(id: string, signal: AbortSignal | undefined): AsyncIterable<VendorResult>;
}

/** Sends the requests of one provider. @internal */
export interface BatchApi {
  /** The provider's name, for errors. */
  readonly name: string;
  /** Sends a GET, or with a body a POST, and resolves to the object that comes back. */
  send(path: string, signal: AbortSignal | undefined, body?: PostBody): Promise<Fields>;
  /** Yields the lines of a file. */
  lines(path: string, signal: AbortSignal | undefined): AsyncIterable<string>;
  /** The error of a request that the vendor reports as failed, with its status if it has one. */
  errorOf(value: unknown, status?: number): KernelError;
}

/** A body and its type. @internal */
export interface PostBody {
  /** Default `application/json`. */
  readonly contentType?: string;
  /** The body, as it is sent. */
  readonly body: string | Uint8Array;
}

/** Creates the API of a provider. @internal */
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
      // A batch that failed says so beside its name.
      if (reply?.['name'] !== undefined) return reply;
      return asFields(parseJsonResponse(name, text, redactor)) ?? {};
    },
    lines: (path, signal) =>
      readLines(client, { method: 'GET', path, contentType: '', accept: '*/*', body: '' }, limits.lineLength, signal),
    errorOf(value, status) {
      if (status !== undefined) return httpError(name, status, {}, JSON.stringify(value ?? {}), redactor);
      const error = findVendorError({ error: value }) ?? {
        message: 'the request failed, and the vendor does not say why',
      };
      return replyError(name, error, redactor);
    },
  };
}
