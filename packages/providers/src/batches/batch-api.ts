import type { KernelError, MessageEnd, ProviderRequest } from '@kernel/protocol';
import { configError } from '../config/config-error.ts';
import type { ApiRequest } from '../http/authenticated-client.ts';
import { httpError, protocolError, replyError } from '../http/errors.ts';
import { excerpt, findVendorError } from '../http/vendor-error.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, type Fields, parseJson } from '../json-fields.ts';
import { readLines } from '../stream/lines.ts';
import type { WireContext } from '../wire/wire.ts';

/** One request of a batch, answered in one piece. */
export interface BatchRequest extends Omit<ProviderRequest, 'signal' | 'stream'> {
  /** Identifies its result; unique in the batch: 1 to 64 letters, digits, `_` and `-`. */
  readonly id: string;
}

/** The state of a batch at its vendor. */
export interface Batch {
  /** The vendor's id of the batch, with which any process can wait for it and read its results. */
  readonly id: string;
  /** `ended`: the results can be read, even if all of them are errors. `failed`: the vendor refused the whole batch. */
  readonly status: 'running' | 'ended' | 'failed';
  /** How many requests have succeeded and failed so far; absent if the vendor does not say. */
  readonly counts?: {
    /** Requests with a reply. */
    readonly succeeded: number;
    /** Requests without one. For Anthropic, cancelled and expired ones count too. */
    readonly failed: number;
  };
  /** The vendor's reason for `failed`, without secrets: at most 1,000 characters. */
  readonly error?: string;
}

/** The result of one request: the end of its reply, or the error. */
export type BatchResult =
  /** The whole reply to the request of this id. */
  | { readonly id: string; readonly end: MessageEnd }
  /** Why the request of this id has none. */
  | { readonly id: string; readonly error: KernelError };

/** Options of a call. */
export interface BatchCallOptions {
  /** Aborts the call, not the batch. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `wait`. */
export interface BatchWaitOptions extends BatchCallOptions {
  /** The time between two polls, in milliseconds. Default 30,000. */
  readonly intervalMs?: number | undefined;
  /** Called after each poll. Must not throw. */
  readonly onPoll?: ((batch: Batch) => void) | undefined;
}

/** Options of `results`. */
export interface BatchResultOptions extends BatchCallOptions {
  /**
   * The requests of the batch. With them, replies have their warnings, calls of tools whose names or schemas were changed for the vendor are changed
   * back, and each request without a result yields an error at the end.
   */
  readonly requests?: readonly BatchRequest[] | undefined;
}

/** Submits, polls and reads the batches of one vendor. Nothing is retried, except that `wait` tolerates four failed polls in a row. */
export interface Batches {
  /** Submits requests. Throws `CONFIG_INVALID`, before anything is sent, for repeated or invalid ids and for more than the vendor accepts. */
  submit(requests: readonly BatchRequest[], options?: BatchCallOptions): Promise<Batch>;
  /** Returns the current state of a batch. */
  get(id: string, options?: BatchCallOptions): Promise<Batch>;
  /** Polls until the batch is no longer running. An abort leaves the batch running at the vendor. */
  wait(id: string, options?: BatchWaitOptions): Promise<Batch>;
  /** Asks the vendor to stop a batch, which may take a while. Requests that were answered keep their results. */
  cancel(id: string, options?: BatchCallOptions): Promise<Batch>;
  /** Yields the results of a batch that has ended as they arrive, in any order, one for each id. Throws `CONFIG_INVALID` while it runs. */
  results(id: string, options?: BatchResultOptions): AsyncIterable<BatchResult>;
}

export type VendorResult =
  | { readonly id: string; readonly reply: string }
  | { readonly id: string; readonly error: KernelError };

export interface BatchOperations {
  /** In requests, and in characters of JSON. */
  readonly limits: { readonly requests: number; readonly characters: number };
  submit(
    items: readonly { readonly id: string; readonly model: string; readonly body: string }[],
    signal: AbortSignal | undefined,
  ): Promise<Batch>;
  get(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  cancel(id: string, signal: AbortSignal | undefined): Promise<Batch>;
  /** In any order. Throws `CONFIG_INVALID` while the batch runs. */
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
