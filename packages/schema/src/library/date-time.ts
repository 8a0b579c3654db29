const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339. Undefined for a day that its month does not have, and for a fraction of a second that a `Date` would round. */
export function parseDateTime(text: string): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', , fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(3))) return undefined;
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > daysInMonth) return undefined;
  const date = new Date(text.toUpperCase());
  return Number.isNaN(date.getTime()) ? undefined : date;
}
