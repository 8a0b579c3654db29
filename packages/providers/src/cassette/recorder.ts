import {
  checkKeys,
  type JsonObject,
  KernelError,
  optionKeys,
  type Provider,
  type ProviderEvent,
} from '@kernel/protocol';
import { type AnyRequest, type CassetteEntry, toRecorded, writeCassette } from './cassette.ts';
import { createSanitizer, type Sanitizer, sanitizeEvents, toJson } from './sanitizer.ts';
import { tapStream } from '../policies/tap-stream.ts';
import { wrapUnary } from '../policies/wrap-unary.ts';

/** Receives each exchange when it is complete. The consumer waits for a returned promise. */
export type RecorderSink = (entry: CassetteEntry) => void | Promise<void>;

/** What must not be recorded. */
export interface RecorderOptions {
  /** Keys in use. Well-known key formats and the usual names of credentials are removed in any case. */
  readonly secrets?: readonly string[] | undefined;
}

export const RECORDER_KEYS = optionKeys<RecorderOptions>({ secrets: true });

/**
 * Records every exchange to `sink`, or as a cassette to the file of this path, which is overwritten. An exchange that was aborted, or whose
 * consumer returned early, is not recorded. Secrets are removed from the recording; what the consumer gets is unchanged.
 *
 * @example
 * ```ts
 * import { createProvider } from '@kernel/providers';
 * import { readCassette, replay, withRecorder } from '@kernel/providers/cassette';
 *
 * const recorded = withRecorder(createProvider({ name: 'ollama' }), 'cassette.jsonl'); // once, with the server
 * const replayed = replay(await readCassette('cassette.jsonl')); // in tests, without it
 * ```
 */
export function withRecorder(provider: Provider, sink: RecorderSink | string, options: RecorderOptions = {}): Provider {
  checkKeys('withRecorder', options, RECORDER_KEYS);
  const sanitizer = createSanitizer(options.secrets ?? []);
  const save = typeof sink === 'string' ? fileSink(sink) : sink;

  async function recorded<R extends AnyRequest, T extends object>(
    call: (request: R) => Promise<T>,
    request: R,
    kind: 'countTokens' | 'embed' | 'transcribe',
  ): Promise<T> {
    const sanitized = toRecorded(request, sanitizer);
    let result: T;
    try {
      result = await call(request);
    } catch (error) {
      if (KernelError.is(error)) await save({ kind, request: sanitized, error: errorOf(error, sanitizer) });
      throw error;
    }
    await save({ kind, request: sanitized, result: sanitizer.value(toJson(result)) });
    return result;
  }

  return {
    name: provider.name,
    stream(request) {
      const events: ProviderEvent[] = [];
      const entry = (): CassetteEntry => ({
        kind: 'stream',
        request: toRecorded(request, sanitizer),
        events: sanitizeEvents(events, sanitizer),
      });
      return tapStream(provider.stream(request), {
        onEvent(event) {
          events.push(event);
          if (event.type === 'message-end') return save(entry());
        },
        async onError(error) {
          if (KernelError.is(error)) await save({ ...entry(), error: errorOf(error, sanitizer) });
        },
      });
    },
    ...wrapUnary(provider, recorded),
  };
}

function errorOf(error: KernelError, sanitizer: Sanitizer): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a sanitized object is an object
  return sanitizer.value(error.toJSON()) as JsonObject;
}

function fileSink(path: string): RecorderSink {
  const entries: CassetteEntry[] = [];
  let writing = Promise.resolve();
  return (entry) => {
    entries.push(entry);
    const written = writing.then(() => writeCassette(path, entries));
    // A failed write is the error of its own exchange, not of the next one.
    writing = written.catch(() => {});
    return written;
  };
}
