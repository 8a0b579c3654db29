import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { dayAfter } from '../src/language/calendar.ts';

test.each([
  // The clocks go back at 2 on this day, which has 25 hours.
  ['2026-11-01T04:30:00Z', 1, 'America/New_York', '2026-11-02'],
  ['2026-11-01T04:30:00Z', 0, 'America/New_York', '2026-11-01'],
  ['2026-11-02T04:30:00Z', -1, 'America/New_York', '2026-10-31'],
  // They go forward, so that the day has 23 hours.
  ['2026-03-09T04:30:00Z', -1, 'America/New_York', '2026-03-08'],
  ['2026-03-29T22:30:00Z', -1, 'Europe/Berlin', '2026-03-29'],
  ['2026-11-21T12:00:00Z', 0, 'Pacific/Apia', '2026-11-22'],
  ['2026-12-31T12:00:00Z', 1, 'UTC', '2027-01-01'],
])('%s and %i days of the calendar in %s is another day: %s', (time, days, zone, day) => {
  verifies('offline.dates.calendar');
  expect(dayAfter(Date.parse(time), days, zone)).toBe(day);
});
