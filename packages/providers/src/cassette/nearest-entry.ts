import { pointerToken, truncate } from '@kernel/internal';
import type { JsonValue } from '@kernel/protocol';
import type { CassetteEntry } from './cassette.ts';

export interface Difference {
  readonly path: string;
  readonly recorded: string;
  readonly requested: string;
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

export function differences(recorded: JsonValue, requested: JsonValue): readonly Difference[] {
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
