import type { Tool } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { toolError } from './tool-error.ts';
import { type Day, dayOf, daysBetween, isoOf, moveDay, readDay, weekdaysMeant, writeDay } from './dates.ts';

const tool: Tool = {
  name: 'datetime',
  title: 'Date and time',
  description: 'Tells the current date and time, here or in a time zone.',
  parameters: {
    type: 'object',
    properties: {
      timeZone: {
        type: 'string',
        description: 'IANA time zone such as "Asia/Tokyo". Absent: the time zone of this machine.',
      },
      offset: {
        type: 'string',
        pattern: String.raw`^-?(?:\d{1,6} (?:second|minute|hour|day|week|month|year)|\d{1,6}\.\d{1,6} (?:second|minute|hour))s?$`,
        description: 'Tells about another time, this far from now: "3 hours", "-2 weeks".',
      },
      date: {
        type: 'string',
        maxLength: 30,
        description:
          'Tells the weekday of another day and the days until it: "2026-12-24", "next friday", "christmas".',
      },
      since: { type: 'string', maxLength: 30, description: 'Counts the days to `date` from this day, not from today.' },
    },
    additionalProperties: false,
  },
  effect: 'read',
  metadata: {
    category: 'utility',
    usageHint:
      'For the local clock, how late it is, the hour, today’s date, the day of the week, the month or the year.',
    examples: [
      { description: 'What time is it in Tokyo?', input: { timeZone: 'Asia/Tokyo' } },
      { description: 'How late is it in Berlin?', input: { timeZone: 'Europe/Berlin' } },
      { description: 'What day is it?', input: {} },
    ],
  },
};

interface Question {
  readonly timeZone?: string;
  readonly offset?: string;
  readonly date?: string;
  readonly since?: string;
}

/** Binds `datetime`: date, time, weekday, zone and offset in one line, or a day and how far it is. `now` is for tests. */
export function datetimeTool(now: () => number = Date.now): ToolBinding {
  return bindTool<Question>(tool, ({ date, offset, since, timeZone }) => {
    const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    formatter(zone);
    const today = dayOf(now(), zone);
    if (date !== undefined && offset !== undefined) throw toolError('Give date or offset, not both.');
    const weekday = date === undefined || since !== undefined ? undefined : describeWeekday(date, today);
    if (weekday !== undefined) return weekday;
    if (date !== undefined) return describeDay(readDay(date, today), today, since);
    if (since !== undefined) throw toolError('since needs date, the day to count to.');
    return offset === undefined ? describeTime(now(), zone) : describeOffset(offset, now(), today, zone);
  });
}

function describeDay(day: Day, today: Day, since: string | undefined): string {
  if (since === undefined) return dayLine(day, today);
  const start = readDay(since, today);
  const days = daysBetween(start, day);
  return `${writeDay(day)}, ${countOf(days)} ${days < 0 ? 'before' : 'after'} ${isoOf(start)}`;
}

function dayLine(day: Day, today: Day): string {
  return `${writeDay(day)}, ${distance(daysBetween(today, day))}`;
}

/** A weekday that could be one of two days, such as `next friday`: both, each in words; undefined for any other day. */
function describeWeekday(date: string, today: Day): string | undefined {
  const meant = weekdaysMeant(date, today);
  return meant
    ?.map(([day, words]) => (words === '' ? dayLine(day, today) : `${words}: ${dayLine(day, today)}`))
    .join('\n');
}

function distance(days: number): string {
  return days === 0 ? 'today' : days < 0 ? `${countOf(days)} ago` : `in ${countOf(days)}`;
}

function countOf(days: number): string {
  return `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
]);

/** Seconds, minutes and hours are counted on the clock; days and longer units in the calendar, so that their answer has no time of day. */
function describeOffset(offset: string, now: number, today: Day, zone: string): string {
  const [amount = '', unit = ''] = offset.replace(/s$/, '').split(' ');
  const unitMs = UNIT_MS.get(unit);
  return unitMs === undefined
    ? describeDay(moveDay(today, Number(amount), unit), today, undefined)
    : describeTime(now + Math.round(Number(amount) * unitMs), zone);
}

function describeTime(time: number, zone: string): string {
  const parts = new Map(
    formatter(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const offset = part('timeZoneName').replace('GMT', 'UTC');
  const suffix = zone === 'UTC' ? 'UTC' : `${zone}, ${offset}`;
  return `${part('weekday')}, ${part('year')}-${part('month')}-${part('day')}, ${part('hour')}:${part('minute')}:${part('second')} (${suffix})`;
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
  } catch {
    throw toolError(`"${timeZone}" is not a known time zone; use an IANA name such as "Europe/Berlin".`);
  }
}
