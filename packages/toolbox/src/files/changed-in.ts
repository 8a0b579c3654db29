import type { Workspace } from '../workspace/index.ts';

/** What `periodOf` reads: a day, or a time up to now. */
export const CHANGED_PATTERN = String.raw`^(today|yesterday|\d{1,5} (minute|hour|day)s?)$`;

export interface Period {
  readonly from: number;
  /** The instant after its last. */
  readonly to: number;
  readonly note?: string;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
]);

/** Reads `today` and `yesterday`, days on the clock of this machine, and `3 hours`, the time up to now. */
export function periodOf(text: string, now: number): Period {
  const date = new Date(now);
  const midnight = (days: number): number =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
  if (text === 'today') return { from: midnight(0), to: midnight(1) };
  if (text === 'yesterday')
    return { from: midnight(-1), to: midnight(0), note: '(without files that changed again today)' };
  const [amount = '', unit = ''] = text.replace(/s$/, '').split(' ');
  return { from: now - Number(amount) * (UNIT_MS.get(unit) ?? 0), to: Infinity };
}

export async function isChangedIn(
  workspace: Workspace,
  path: string,
  { from, to }: Period,
  signal: AbortSignal,
): Promise<boolean> {
  const info = await workspace.stat(path, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  return info !== undefined && info.modifiedMs >= from && info.modifiedMs < to;
}
