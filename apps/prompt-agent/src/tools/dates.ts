import { sliceHead } from '@kernel/internal';
import type { KernelError } from '@kernel/protocol';
import { toolError } from './tool-error.ts';

/** A day of the calendar, as milliseconds since 1970 at midnight UTC. */
export type Day = number;

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = 'january february march april may june july august september october november december'.split(' ');
/** Days that are the same every year, as month and day. */
const HOLIDAYS: ReadonlyMap<string, readonly [month: number, day: number]> = new Map([
  ['christmas', [12, 25]],
  ['christmas day', [12, 25]],
  ['xmas', [12, 25]],
  ['christmas eve', [12, 24]],
  ['new year', [1, 1]],
  ["new year's", [1, 1]],
  ["new year's day", [1, 1]],
  ["new year's eve", [12, 31]],
  ['halloween', [10, 31]],
  ["valentine's day", [2, 14]],
]);

export function dayOf(time: number, timeZone: string): Day {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(time);
  return Date.parse(`${parts}T00:00:00Z`);
}

export function daysBetween(from: Day, to: Day): number {
  return Math.round((to - from) / DAY_MS);
}

/** Writes a day as `Thursday, 2026-12-24`. */
export function writeDay(day: Day): string {
  const weekday = WEEKDAYS[new Date(day).getUTCDay()] ?? '';
  return `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}, ${isoOf(day)}`;
}

/** Writes a day as `2026-12-24`. */
export function isoOf(day: Day): string {
  return new Date(day).toISOString().slice(0, 10);
}

/**
 * Reads a day: `2026-12-24`, `24 December`, `Dec 24, 2026`, `tomorrow`, `friday` or `christmas`. One without a year is the next after `today`, or `today`
 * itself. Throws `TOOL_FAILED` for anything else, and for a weekday on that weekday, which could be today or in a week.
 */
export function readDay(text: string, today: Day): Day {
  const name = text.trim().toLowerCase().replaceAll('’', "'");
  const relative = ['yesterday', 'today', 'tomorrow'].indexOf(name);
  if (relative !== -1) return today + (relative - 1) * DAY_MS;
  const weekday = WEEKDAYS.indexOf(name);
  if (weekday !== -1) return nextWeekday(weekday, today);
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(name)?.slice(1).map(Number);
  if (iso !== undefined) return dayFrom(iso[0], iso[1], iso[2]) ?? unknownDay(text);
  const holiday = HOLIDAYS.get(name);
  const [month, day, year] = holiday ?? readMonthDay(name) ?? unknownDay(text);
  if (year !== undefined) return dayFrom(year, month, day) ?? unknownDay(text);
  const thisYear = new Date(today).getUTCFullYear();
  const next = dayFrom(thisYear, month, day);
  if (next !== undefined && next >= today) return next;
  return dayFrom(thisYear + 1, month, day) ?? unknownDay(text);
}

/**
 * The days that a weekday may mean, each with the words that tell it from the other. `friday` on a friday is today or in a week. `next friday` is the first one after
 * today, or that of next week where the first one is still in this week; `last friday` is the same before today. Weeks begin on Monday. Undefined for any other text.
 */
export function weekdaysMeant(text: string, today: Day): readonly (readonly [day: Day, words: string])[] | undefined {
  const [, which, name = ''] = /^(?:(next|last) )?([a-z]+day)$/.exec(text.trim().toLowerCase()) ?? [];
  const weekday = WEEKDAYS.indexOf(name);
  if (weekday === -1) return undefined;
  const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7;
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (which === undefined)
    return ahead === 0
      ? [
          [today, `Today is a ${title}`],
          [today + 7 * DAY_MS, 'The next one'],
        ]
      : [[today + ahead * DAY_MS, '']];
  const monday = today - ((new Date(today).getUTCDay() + 6) % 7) * DAY_MS;
  const inThisWeek = monday + ((weekday + 6) % 7) * DAY_MS;
  const step = which === 'next' ? 7 : -7;
  const near = today + (which === 'next' ? ahead || 7 : (ahead || 7) - 7 - (ahead === 0 ? 7 : 0)) * DAY_MS;
  const ofWeek = inThisWeek + step * DAY_MS;
  if (near === ofWeek) return [[near, '']];
  return [
    [near, which === 'next' ? `The coming ${title}` : `The ${title} before today`],
    [ofWeek, `The ${title} of ${which} week`],
  ];
}

/** Moves a day by `3 days`, `2 weeks`, `1 month` or `1 year`; the 31st becomes the last day of a shorter month. */
export function moveDay(day: Day, amount: number, unit: string): Day {
  if (unit === 'day' || unit === 'week') return checked(day + amount * (unit === 'week' ? 7 : 1) * DAY_MS);
  const date = new Date(day);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + amount * (unit === 'year' ? 12 : 1);
  const year = Math.floor(months / 12);
  if (year < 1000 || year > 9999) throw beyond();
  const last = new Date(Date.UTC(year, (months % 12) + 1, 0)).getUTCDate();
  return checked(Date.UTC(year, months % 12, Math.min(date.getUTCDate(), last)));
}

function checked(day: Day): Day {
  const year = new Date(day).getUTCFullYear();
  if (year >= 1000 && year <= 9999) return day;
  throw beyond();
}

function beyond(): KernelError {
  return toolError('That is beyond the years 1000 to 9999.');
}

function nextWeekday(weekday: number, today: Day): Day {
  const days = (weekday - new Date(today).getUTCDay() + 7) % 7;
  if (days === 0) throw toolError(`Today is such a day (${writeDay(today)}); give the date that is meant.`);
  return today + days * DAY_MS;
}

function readMonthDay(name: string): readonly [month: number, day: number, year?: number] | undefined {
  const words = name.replace(/,/, '').split(/\s+/);
  const at = words.findIndex((word) => monthOf(word) > 0);
  const number = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(words[at === 0 ? 1 : 0] ?? '')?.[1];
  if (at < 0 || at > 1 || number === undefined || words.length > 3) return undefined;
  const year = words[2];
  if (year !== undefined && !/^\d{4}$/.test(year)) return undefined;
  const month = monthOf(words[at] ?? '');
  return year === undefined ? [month, Number(number)] : [month, Number(number), Number(year)];
}

/** The number of a month, by its name or the first three letters; 0 for another word. */
function monthOf(word: string): number {
  return MONTHS.findIndex((month) => month === word || (word.length === 3 && month.startsWith(word))) + 1;
}

function dayFrom(year = 0, month = 0, day = 0): Day | undefined {
  const time = Date.UTC(year, month - 1, day);
  const isReal = year >= 1000 && new Date(time).getUTCMonth() === month - 1 && new Date(time).getUTCDate() === day;
  return isReal ? time : undefined;
}

function unknownDay(text: string): never {
  throw toolError(`"${sliceHead(text, 40)}" is not a day; write it as 2026-12-24.`);
}
