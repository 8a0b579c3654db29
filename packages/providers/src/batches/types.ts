import type { KernelError, MessageEnd, ProviderRequest } from '@kernel/protocol';

/** One request of a batch. It is answered whole. */
export interface BatchRequest extends Omit<ProviderRequest, 'signal' | 'stream'> {
  /** A name for it, unique in the batch: 1 to 64 letters, digits, `_` and `-`. Its result has it. */
  readonly id: string;
}

/** A batch at its vendor. */
export interface Batch {
  /** The vendor's name for it: with it, any process can go on with the batch. */
  readonly id: string;
  /** `ended`: there are results to read, be they failures. `failed`: the vendor refused the batch as a whole. */
  readonly status: 'running' | 'ended' | 'failed';
  /** How many requests have succeeded and failed so far, as far as the vendor says. */
  readonly counts?: { readonly succeeded: number; readonly failed: number };
  /** Why it failed, in the vendor's words. */
  readonly error?: string;
}

/** The result of one request: its reply, or why there is none. They come in any order. */
export type BatchResult =
  | { readonly id: string; readonly end: MessageEnd }
  | { readonly id: string; readonly error: KernelError };

/** What aborts a call. */
export interface BatchCallOptions {
  /** Aborts the call, not the batch. */
  readonly signal?: AbortSignal | undefined;
}

/** How a batch is waited for. */
export interface BatchWaitOptions extends BatchCallOptions {
  /** How long to wait between two questions, in milliseconds. Default 30,000. */
  readonly intervalMs?: number | undefined;
  /** Called with each answer. Must not throw. */
  readonly onPoll?: ((batch: Batch) => void) | undefined;
}

/** How results are read. */
export interface BatchResultOptions extends BatchCallOptions {
  /** The requests of the batch: with them, warnings are in the replies, and calls of tools whose names or schemas were changed for the vendor are changed back. */
  readonly requests?: readonly BatchRequest[] | undefined;
}

/** The batches of one vendor. Nothing is retried, except that `wait` outlasts a few failed questions. */
export interface Batches {
  /** Submits requests. Throws `CONFIG_INVALID`, before anything is sent, for ids that are taken or not allowed and for more than the vendor takes. */
  submit(requests: readonly BatchRequest[], options?: BatchCallOptions): Promise<Batch>;
  /** Asks how a batch is doing. */
  get(id: string, options?: BatchCallOptions): Promise<Batch>;
  /** Asks again and again, and resolves once the batch is no longer running. An abort leaves the batch running. */
  wait(id: string, options?: BatchWaitOptions): Promise<Batch>;
  /** Asks the vendor to stop. What is done already has its result; the batch may go on running for a while. */
  cancel(id: string, options?: BatchCallOptions): Promise<Batch>;
  /** Yields the results of a batch that has ended, as they arrive. Throws `CONFIG_INVALID` while it runs. */
  results(id: string, options?: BatchResultOptions): AsyncIterable<BatchResult>;
}
