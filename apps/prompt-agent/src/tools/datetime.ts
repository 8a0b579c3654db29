import type { Tool } from '@kernel/protocol';
import { bindTool, type ToolBinding } from '@kernel/tools';
import { toolError } from '../tool-error.ts';

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

/** Binds `datetime`: date, time, weekday, zone and offset in one line. `now` is for tests. */
export function datetimeTool(now: () => number = Date.now): ToolBinding {
  return bindTool<{ timeZone?: string }>(tool, ({ timeZone }) => describeTime(now(), timeZone));
}

function describeTime(time: number, timeZone: string | undefined): string {
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
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
