import { canonicalJson } from '@kernel/internal';
import {
  checkKeys,
  type EmbedResult,
  type JsonValue,
  KernelError,
  type Provider,
  type TokenCount,
  type Transcript,
} from '@kernel/protocol';
import { type AnyRequest, type Cassette, type CassetteEntry, toRecorded } from './cassette.ts';
import { differences, nearestEntry } from './nearest-entry.ts';
import { RECORDER_KEYS, type RecorderOptions } from './recorder.ts';
import { createSanitizer } from './sanitizer.ts';

/**
 * Creates a provider that answers from a cassette and sends nothing. Each entry is used once; equal requests get theirs in the order of
 * recording. A request without an entry throws `PROVIDER_PROTOCOL` with the nearest entry and where it differs. `secrets` must be those of
 * the recording, if requests contain any.
 */
export function replay(cassette: Cassette, options: RecorderOptions = {}): Provider {
  checkKeys('replay', options, RECORDER_KEYS);
  const sanitizer = createSanitizer(options.secrets ?? []);
  const unused = new Map<string, CassetteEntry[]>();
  for (const entry of cassette.entries) {
    const key = keyOf(entry.kind, entry.request);
    const same = unused.get(key);
    if (same === undefined) unused.set(key, [entry]);
    else same.push(entry);
  }

  function take(kind: CassetteEntry['kind'], request: AnyRequest): CassetteEntry {
    request.signal?.throwIfAborted();
    const requested = toRecorded(request, sanitizer);
    const entry = unused.get(keyOf(kind, requested))?.shift();
    if (entry === undefined) throw missError(cassette, kind, requested);
    return entry;
  }

  function result(kind: 'countTokens' | 'embed' | 'transcribe', request: AnyRequest): unknown {
    const entry = take(kind, request);
    if (entry.error !== undefined) throw KernelError.fromJSON(entry.error, 'PROVIDER_PROTOCOL');
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
      if (error !== undefined) throw KernelError.fromJSON(error, 'PROVIDER_PROTOCOL');
    },
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the recorded result of such a call
    countTokens: async (request) => result('countTokens', request) as TokenCount,
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    embed: async (request) => result('embed', request) as EmbedResult,
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    transcribe: async (request) => result('transcribe', request) as Transcript,
  };
}

/** Canonical, since the keys of a cassette that was edited by hand may be in any order. */
function keyOf(kind: string, request: JsonValue): string {
  return `${kind} ${canonicalJson(request)}`;
}

function missError(cassette: Cassette, kind: CassetteEntry['kind'], requested: JsonValue): KernelError {
  const near = nearestEntry(cassette.entries, kind, requested);
  const hint = 'Record it again with withRecorder, or make the same request as before.';
  if (near === undefined) {
    return new KernelError('PROVIDER_PROTOCOL', `The cassette has no ${kind} entry.`, { hint, data: { requested } });
  }
  const differing = differences(near.entry.request, requested);
  const shown = differing.slice(0, 5);
  const comparison =
    differing.length === 0
      ? 'is the same, but was already used: it was requested more often than it was recorded'
      : `differs at ${shown.map((one) => `${one.path} (recorded ${one.recorded}, requested ${one.requested})`).join('; ')}`;
  return new KernelError(
    'PROVIDER_PROTOCOL',
    `No recorded ${kind} matches this request. Entry ${near.index} ${comparison}.`,
    {
      hint,
      data: { nearest: near.index, differences: shown.map((one) => ({ ...one })), differing: differing.length },
    },
  );
}
