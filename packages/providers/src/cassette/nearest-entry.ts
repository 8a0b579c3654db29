import type { JsonValue } from '@kernel/protocol';
import type { CassetteEntry } from './cassette.ts';

/** A place where two requests differ; values as short JSON. */
export interface Difference {
  /** A JSON pointer. */
  readonly path: string;
  readonly recorded: string;
  readonly asked: string;
}

/** The entry of this kind that differs from `asked` in the fewest places. @internal */
export function nearestEntry(
  entries: readonly CassetteEntry[],
  kind: CassetteEntry['kind'],
  asked: JsonValue,
): { readonly index: number; readonly entry: CassetteEntry } | undefined {
  let best: { index: number; entry: CassetteEntry } | undefined;
  let least = Infinity;
  for (const [index, entry] of entries.entries()) {
    if (entry.kind !== kind) continue;
    const count = differences(entry.request, asked).length;
    if (count < least) {
      least = count;
      best = { index, entry };
    }
  }
  return best;
}

/** Where two JSON values differ, in the order of the first. @internal */
export function differences(recorded: JsonValue, asked: JsonValue): readonly Difference[] {
  const before = leaves(recorded);
  const after = leaves(asked);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const was = before.get(path);
    const is = after.get(path);
    return was === is ? [] : [{ path: path === '' ? '/' : path, recorded: excerpt(was), asked: excerpt(is) }];
  });
}

function leaves(value: JsonValue): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (item: JsonValue, path: string): void => {
    const members = typeof item === 'object' && item !== null ? Object.entries(item) : [];
    if (members.length === 0) found.set(path, JSON.stringify(item));
    for (const [key, member] of members) walk(member, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  };
  walk(value, '');
  return found;
}

function excerpt(json: string | undefined): string {
  if (json === undefined) return 'nothing';
  return json.length <= 80 ? json : `${json.slice(0, 80)}…`;
}
