import type { Expression } from './expression.ts';
import { regularString } from './regular-expression.ts';

const DATE = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const TIME = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)`;
const BYTE = String.raw`(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['date', `^${DATE}$`],
  ['time', `^${TIME}$`],
  ['date-time', `^${DATE}T${TIME}$`],
  ['uuid', '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'],
  ['ipv4', String.raw`^(${BYTE}\.){3}${BYTE}$`],
  ['email', String.raw`^[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}$`],
]);

export function formatString(format: string): Expression | undefined {
  const pattern = PATTERNS.get(format);
  return pattern === undefined ? undefined : regularString(pattern);
}
