import { type JsonObject, KernelError, type Provider, type ProviderEvent } from '@kernel/protocol';
import { type AnyRequest, type CassetteEntry, toJson, toRecorded, writeCassette } from './cassette.ts';
import { createSanitizer, type Sanitizer } from './sanitizer.ts';
import { sanitizeEvents } from './sanitize-events.ts';
import { tapStream } from '../policies/tap-stream.ts';
import { wrapAsks } from '../policies/wrap-unary.ts';

/** Takes each exchange when it is over. The reader waits for its promise. */
export type RecorderSink = (entry: CassetteEntry) => void | Promise<void>;

/** What must not be written down. */
export interface RecorderOptions {
  /** Keys in use. The usual shapes and names of keys are hidden without being told. */
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Records every exchange, to `sink` or, as a whole cassette, to the file of this path, which is written anew. What was aborted
 * or left before its end is not recorded. Secrets are hidden; what the reader gets is unchanged.
 */
export function withRecorder(provider: Provider, sink: RecorderSink | string, options: RecorderOptions = {}): Provider {
  const sanitizer = createSanitizer(options.secrets ?? []);
  const save = typeof sink === 'string' ? fileSink(sink) : sink;

  async function asked<R extends AnyRequest, T extends object>(
    kind: 'embed' | 'transcribe',
    request: R,
    ask: (request: R) => Promise<T>,
  ): Promise<T> {
    const recorded = toRecorded(request, sanitizer);
    let result: T;
    try {
      result = await ask(request);
    } catch (error) {
      if (KernelError.is(error)) await save({ kind, request: recorded, error: errorOf(error, sanitizer) });
      throw error;
    }
    await save({ kind, request: recorded, result: sanitizer.value(toJson(result)) });
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
    ...wrapAsks(provider, {
      embed: (ask, request) => asked('embed', request, ask),
      transcribe: (ask, request) => asked('transcribe', request, ask),
    }),
  };
}

function errorOf(error: KernelError, sanitizer: Sanitizer): JsonObject {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the cleaned form of an object is an object
  return sanitizer.value(error.toJSON()) as JsonObject;
}

function fileSink(path: string): RecorderSink {
  const entries: CassetteEntry[] = [];
  let writing = Promise.resolve();
  return (entry) => {
    entries.push(entry);
    const written = writing.then(() => writeCassette(path, entries));
    // A write that failed is its reader's error, not that of the next one.
    writing = written.catch(() => {});
    return written;
  };
}
