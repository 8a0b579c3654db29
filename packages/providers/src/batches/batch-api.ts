import type { Batch } from './types.ts';
import type { KernelError } from '@kernel/protocol';
import { configError } from '../config/config-error.ts';
import type { ApiRequest } from '../http/authenticated-client.ts';
import { httpError, protocolError, replyError } from '../http/errors.ts';
import { excerpt, findVendorError } from '../http/vendor-error.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, type Fields, parseJson } from '../json-fields.ts';
import { readLines } from '../stream/lines.ts';
import type { WireContext } from '../wire/wire.ts';

export type VendorResult =
  | { readonly id: string; readonly reply: string }
  | { readonly id: string; readonly error: KernelError };

export interface BatchOperations {
  /** The largest batch: the number of requests, and of characters of JSON. */
  readonly limits: { readonly requests: number; readonly characters: number };
  submit(
    items: readonly { readonly id: string; readonly model: string; readonly body: string }[],
    signal: AbortSignal | undefined,
  ): Promise<Batch>;
  get(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  cancel(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  /** Yields the results in any order. Throws `CONFIG_INVALID` while the batch runs. */
  results(id: string, signal: AbortSignal | undefined): AsyncIterable<VendorResult>;
}

export type BatchApi = ReturnType<typeof createBatchApi>;

const MAX_EXCERPT_LENGTH = 1000;

export function createBatchApi({ client, limits, name, redactor }: WireContext) {
  return {
    name,
    /** A GET, or with a body a POST. */
    async send(path: string, signal: AbortSignal | undefined, post?: Pick<ApiRequest, 'body' | 'contentType'>) {
      const text = await requestText(client, post === undefined ? { method: 'GET', path } : { path, ...post }, signal);
      const reply = asFields(parseJson(text));
      // A failed batch of Gemini has an error beside its name: it is read as a batch, not thrown.
      if (reply?.['name'] !== undefined) return reply;
      return asFields(parseJsonResponse(name, text, redactor)) ?? {};
    },
    lines: (path: string, signal: AbortSignal | undefined) =>
      readLines(client, { method: 'GET', path, accept: '*/*' }, limits.lineLength, signal),
    excerptOf: (text: string) => excerpt(redactor.text(text), MAX_EXCERPT_LENGTH),
    errorOf(value: unknown, status?: number) {
      if (status !== undefined) return httpError(name, status, {}, JSON.stringify(value ?? {}), redactor);
      const unnamed = { message: 'the request failed, and the vendor does not say why' };
      return replyError(name, findVendorError({ error: value }) ?? unnamed, redactor);
    },
  };
}

export function readResultLine(provider: string, line: string): Fields {
  const fields = asFields(parseJson(line));
  if (fields !== undefined) return fields;
  const details = { hint: 'Read the results again.', retryable: true };
  throw protocolError(provider, 'a line of the results is not valid JSON, or it was cut short.', details);
}

export function checkEnded(provider: string, { id, status }: Batch): void {
  if (status === 'running') throw configError(provider, `the batch "${id}" is still running.`, 'Await wait(id) first.');
}
