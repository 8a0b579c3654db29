import {
  type EmbedResult,
  type JsonObject,
  type JsonValue,
  KERNEL_ERROR_CODES,
  KernelError,
  type Provider,
  type Transcript,
} from '@kernel/protocol';
import { type AnyRequest, type Cassette, type CassetteEntry, toRecorded } from './cassette.ts';
import { differences, nearestEntry } from './nearest-entry.ts';
import type { RecorderOptions } from './recorder.ts';
import { createSanitizer } from './sanitizer.ts';

/**
 * Answers from a cassette and sends nothing. Each entry is given once; equal requests get theirs in the order of recording.
 * A request without an entry throws `PROVIDER_PROTOCOL`, which shows the nearest one and where it differs. `secrets` as they
 * were at the recording, where requests hold some.
 */
export function replay(cassette: Cassette, options: RecorderOptions = {}): Provider {
  const sanitizer = createSanitizer(options.secrets ?? []);
  const open = new Map<string, CassetteEntry[]>();
  for (const entry of cassette.entries) {
    const key = keyOf(entry.kind, entry.request);
    const same = open.get(key);
    if (same === undefined) open.set(key, [entry]);
    else same.push(entry);
  }

  function take(kind: CassetteEntry['kind'], request: AnyRequest): CassetteEntry {
    request.signal?.throwIfAborted();
    const asked = toRecorded(request, sanitizer);
    const entry = open.get(keyOf(kind, asked))?.shift();
    if (entry === undefined) throw miss(cassette, kind, asked);
    return entry;
  }

  function result(kind: 'embed' | 'transcribe', request: AnyRequest): unknown {
    const entry = take(kind, request);
    if (entry.error !== undefined) throw toError(entry.error);
    return entry.result;
  }

  return {
    name: 'replay',
    async *stream(request) {
      const { error, events = [] } = take('stream', request);
      for (const event of events) {
        request.signal?.throwIfAborted();
        yield event;
      }
      if (error !== undefined) throw toError(error);
    },
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- what was recorded is what such a call once gave
    embed: async (request) => result('embed', request) as EmbedResult,
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    transcribe: async (request) => result('transcribe', request) as Transcript,
  };
}

/** Keys of an object that was read from a file may stand in any order. */
function keyOf(kind: string, request: JsonValue): string {
  return `${kind} ${JSON.stringify(request, (_, value: unknown) => (isObject(value) ? sortedKeys(value) : value))}`;
}

function sortedKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value);
}

function miss(cassette: Cassette, kind: CassetteEntry['kind'], asked: JsonValue): KernelError {
  const near = nearestEntry(cassette.entries, kind, asked);
  const hint = 'Record it again with withRecorder, or make the request as it was.';
  if (near === undefined) {
    return new KernelError('PROVIDER_PROTOCOL', `The cassette has no ${kind} entry.`, { hint, data: { asked } });
  }
  const differing = differences(near.entry.request, asked);
  const shown = differing.slice(0, 5);
  const said =
    differing.length === 0
      ? 'is the same, and was given out already: it was asked for once more than it was recorded'
      : `differs at ${shown.map((one) => `${one.path} (recorded ${one.recorded}, asked ${one.asked})`).join('; ')}`;
  return new KernelError('PROVIDER_PROTOCOL', `No recorded ${kind} is like this one. Entry ${near.index} ${said}.`, {
    hint,
    data: { nearest: near.index, differences: shown.map((one) => ({ ...one })), differing: differing.length },
  });
}

function toError(error: Readonly<Record<string, JsonValue>>): KernelError {
  const { code, data, hint, message, retryable } = error;
  return new KernelError(
    KERNEL_ERROR_CODES.find((known) => known === code) ?? 'PROVIDER_PROTOCOL',
    typeof message === 'string' ? message : 'A recorded error without a message.',
    {
      hint: typeof hint === 'string' ? hint : undefined,
      retryable: retryable === true,
      ...(isJsonObject(data) ? { data } : {}),
    },
  );
}
