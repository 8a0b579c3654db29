import { canonicalJson, pointerToken, truncate } from '@kernel/internal';
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the recorded result of such a call
    countTokens: async (request) => result('countTokens', request) as TokenCount,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    embed: async (request) => result('embed', request) as EmbedResult,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
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

export function nearestEntry(
  entries: readonly CassetteEntry[],
  kind: CassetteEntry['kind'],
  requested: JsonValue,
): { readonly index: number; readonly entry: CassetteEntry } | undefined {
  let best: { index: number; entry: CassetteEntry } | undefined;
  let fewest = Infinity;
  for (const [index, entry] of entries.entries()) {
    if (entry.kind !== kind) continue;
    const count = differences(entry.request, requested).length;
    if (count < fewest) {
      fewest = count;
      best = { index, entry };
    }
  }
  return best;
}

export function differences(recorded: JsonValue, requested: JsonValue) {
  const before = leaves(recorded);
  const after = leaves(requested);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const was = before.get(path);
    const is = after.get(path);
    return was === is ? [] : [{ path: path === '' ? '/' : path, recorded: excerpt(was), requested: excerpt(is) }];
  });
}

function leaves(value: JsonValue): ReadonlyMap<string, string> {
  const leafTexts = new Map<string, string>();
  const walk = (item: JsonValue, path: string): void => {
    const members = typeof item === 'object' && item !== null ? Object.entries(item) : [];
    if (members.length === 0) leafTexts.set(path, JSON.stringify(item));
    for (const [key, member] of members) walk(member, `${path}/${pointerToken(key)}`);
  };
  walk(value, '');
  return leafTexts;
}

function excerpt(json: string | undefined): string {
  if (json === undefined) return 'nothing';
  return truncate(json, 81);
}
