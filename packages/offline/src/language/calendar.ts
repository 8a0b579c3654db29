/**
 * Returns the day so many days of the calendar after the day of a time, as `2026-12-24`, in a time zone; by default
 * that of this machine. Days are not all 24 hours long: the clocks change.
 */
export function dayAfter(time: number, days: number, timeZone?: string): string {
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const today = new Intl.DateTimeFormat('en-CA', { ...date, timeZone }).format(time);
  const day = new Date(`${today}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
