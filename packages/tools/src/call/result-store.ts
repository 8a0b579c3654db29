import { sliceHead, sliceTail } from '@kernel/internal';
import { KernelError, type ToolResult } from '@kernel/protocol';
import { callSafely } from './call-safely.ts';
import { failureText } from './failure-text.ts';

/** Keeps the full texts of results that were shortened for the model. */
export interface ResultStore {
  /** Keeps a text and returns its handle. The oldest texts are dropped when the store is full. */
  keep(text: string): string;
  /** Returns the text of a handle; `undefined` if it is unknown or was dropped. */
  read(handle: string): string | undefined;
}

const MAX_CHARS = 128 * 1024 * 1024;

/** Creates a store of at most `maxChars` characters, default 134,217,728. The newest text is always kept. Texts are not copied. */
export function createResultStore(maxChars: number = MAX_CHARS): ResultStore {
  let texts: Map<string, string> | undefined;
  let total = 0;
  let count = 0;
  return {
    keep(text) {
      count += 1;
      const handle = `result-${count}`;
      texts ??= new Map();
      texts.set(handle, text);
      total += text.length;
      for (const [oldest, old] of texts) {
        if (total <= maxChars || oldest === handle) break;
        texts.delete(oldest);
        total -= old.length;
      }
      return handle;
    },
    read: (handle) => texts?.get(handle),
  };
}

/** The name of the tool with which a model reads shortened results. */
export const READ_RESULT = 'read_result';

/**
 * Shortens a result to `limit` characters, 60% from its start and 40% from its end, and keeps the full text in the store. A `limit` of 0
 * means all. The text mentions `read_result` if `canRead` says that the model can call it.
 *
 * A store that fails costs only the part that was left out, not the result: the text says so with `STORE_FAILED`.
 */
export function limitResult(result: ToolResult, limit: number, store: ResultStore, canRead: () => boolean): ToolResult {
  const { forLLM } = result;
  if (limit <= 0 || forLLM.length <= limit) return result;
  const handle = keepText(store, forLLM);
  const head = sliceHead(forLLM, Math.ceil(limit * 0.6));
  const tail = sliceTail(forLLM, Math.floor(limit * 0.4));
  const omitted = forLLM.length - head.length - tail.length;
  const shortened = (how: string): string =>
    `${head}\n[… ${omitted} of ${forLLM.length} characters left out${how} …]\n${tail}`;
  if (KernelError.is(handle)) {
    const forModel = shortened(`; STORE_FAILED: they could not be kept`);
    return { ...result, forLLM: forModel, error: result.error ?? handle };
  }
  const how = canRead() ? `; call ${READ_RESULT} with handle "${handle}" and offset ${head.length} to read on` : '';
  return { ...result, forLLM: shortened(how) };
}

function keepText(store: ResultStore, text: string): string | KernelError {
  try {
    const handle: unknown = store.keep(text);
    if (typeof handle === 'string') return handle;
    callSafely(() => handle); // a store that is async may reject
    throw new TypeError('keep() did not return a string');
  } catch (error) {
    return resultStoreError('write', error);
  }
}

/** Reads a text from a store. Throws `STORE_FAILED` if the store fails. */
export function readText(store: ResultStore, handle: string): string | undefined {
  try {
    const text: unknown = store.read(handle);
    if (text === undefined || typeof text === 'string') return text;
    callSafely(() => text);
    throw new TypeError('read() did not return a string');
  } catch (error) {
    throw resultStoreError('read', error);
  }
}

function resultStoreError(operation: 'read' | 'write', error: unknown): KernelError {
  if (KernelError.is(error, 'STORE_FAILED')) return error;
  return new KernelError('STORE_FAILED', `the result store could not ${operation}: ${failureText(error)}`, {
    cause: error,
  });
}
