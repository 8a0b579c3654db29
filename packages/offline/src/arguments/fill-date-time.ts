import { sliceHead } from '@kernel/internal';
import { claim, type SlotFilling } from './slot-filling.ts';

const DAY_MS = 86_400_000;
const RELATIVE_DAYS = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
]);

/** Fills a date such as `tomorrow` or `2026-11-21`, or a time of day such as `5pm`. */
export function fillDateTime(filling: SlotFilling, kind: 'date' | 'clock', withTime: boolean): string | undefined {
  for (const [index, token] of filling.tokens.entries()) {
    if (filling.used.has(index)) continue;
    const value = kind === 'date' ? readDate(token.text, filling.now, withTime) : readClock(token.lower);
    if (value === undefined) continue;
    claim(filling, index, index, 'exact', 0.5);
    return value;
  }
  return undefined;
}

function readDate(text: string, now: number, withTime: boolean): string | undefined {
  const relative = RELATIVE_DAYS.get(text.toLowerCase().replace(/['’]s$/, ''));
  const date =
    relative === undefined
      ? /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)?.[0]
      : localDate(now + relative * DAY_MS);
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  return withTime && !date.includes('T') ? `${date}T00:00:00Z` : withTime ? date : sliceHead(date, 10);
}

function localDate(time: number): string {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

function readClock(lower: string): string | undefined {
  const [, hours, minutes = '00', half] = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(lower) ?? [];
  if (hours === undefined || (half === undefined && !lower.includes(':'))) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'pm' ? 12 : 0);
  return hour < 24 && Number(minutes) < 60 ? `${String(hour).padStart(2, '0')}:${minutes}` : undefined;
}
