import { attempt, sliceHead } from '@kernel/internal';
import { Cron } from 'croner';
import { KernelError } from '@kernel/protocol';
import type { ScheduleTime } from './types.ts';

const MAX_PATTERN = 200;

/** Returns when a schedule is due after a time, in milliseconds since 1970; undefined if never again. Throws `TOOL_FAILED` for what cannot be read. */
export function nextTime(time: ScheduleTime, afterMs: number): number | undefined {
  if ('at' in time) return time.at > afterMs ? time.at : undefined;
  return parse(time.cron, time.timeZone).nextRun(new Date(afterMs))?.getTime();
}

export function timesBetween(time: ScheduleTime, afterMs: number, untilMs: number, max: number): readonly number[] {
  const found: number[] = [];
  let next = nextTime(time, afterMs);
  while (next !== undefined && next <= untilMs && found.length < max) {
    found.push(next);
    next = nextTime(time, next);
  }
  return found;
}

export function isReadable(time: ScheduleTime): boolean {
  return 'at' in time ? Number.isFinite(time.at) : attempt(() => parse(time.cron, time.timeZone)) !== undefined;
}

export function lastTime(time: ScheduleTime, untilMs: number): number | undefined {
  if ('at' in time) return time.at <= untilMs ? time.at : undefined;
  // Times are whole seconds, and the search begins before the one that it is given.
  const found = parse(time.cron, time.timeZone).previousRuns(2, new Date(untilMs + 1000));
  return found.map((date) => date.getTime()).find((ms) => ms <= untilMs);
}

function parse(cron: string, timezone: string): Cron {
  if (cron.length > MAX_PATTERN) throw invalid('The cron pattern is too long.');
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    throw invalid(
      `There is no time zone ${JSON.stringify(sliceHead(timezone, 80))}.`,
      'Use a name such as "Europe/Berlin" or "UTC".',
    );
  }
  try {
    return new Cron(cron, { timezone, mode: '5-part', paused: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '';
    throw invalid(
      `The cron pattern ${JSON.stringify(cron)} cannot be read: ${reason}`,
      'Use five fields: "0 9 * * MON-FRI".',
    );
  }
}

function invalid(message: string, hint?: string): KernelError {
  return new KernelError('TOOL_FAILED', message, { hint });
}
