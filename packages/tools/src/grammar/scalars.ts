import { type Conversion, countOf } from './conversion.ts';
import { characters, choice, type Expression, literal, NEVER, repeat, rule, sequence } from './expression.ts';
import type { FlatSchema } from './flatten.ts';
import { integersBetween } from './integers.ts';
import { FRACTION } from './json-rules.ts';
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

function formatString(format: string): Expression | undefined {
  const pattern = PATTERNS.get(format);
  return pattern === undefined ? undefined : regularString(pattern);
}

/** Converts a string by its pattern, format (if formats are enforced) or length: the first of them that a grammar can represent. */
export function stringExpression(schema: FlatSchema, pointer: string, { formats, warn }: Conversion): Expression {
  const { format, pattern } = schema;
  const min = countOf(schema, 'minLength', pointer, warn) ?? 0;
  const max = countOf(schema, 'maxLength', pointer, warn);
  if (max !== undefined && min > max) return NEVER;
  const matching = typeof pattern === 'string' ? regularString(pattern) : undefined;
  if (typeof pattern === 'string' && matching === undefined) warn(pointer, 'pattern', 'weaker');
  const formatted = typeof format === 'string' && formats ? formatString(format) : undefined;
  if (typeof format === 'string' && (formatted === undefined || matching !== undefined))
    warn(pointer, 'format', 'weaker');
  const content = matching ?? formatted;
  if (content === undefined) {
    if (min === 0 && max === undefined) return rule('string');
    return sequence(literal('"'), repeat(rule('char'), min, max), literal('"'));
  }
  if (min > 0) warn(pointer, 'minLength', 'weaker');
  if (max !== undefined) warn(pointer, 'maxLength', 'weaker');
  return sequence(literal('"'), content, literal('"'));
}

export function integerExpression(schema: FlatSchema, pointer: string, { warn }: Conversion): Expression {
  warnStep(schema, pointer, warn);
  const { min, max } = boundsOf(schema);
  if (min === -Infinity && max === Infinity) return rule('integer');
  return integersBetween(
    min === -Infinity ? undefined : BigInt(Math.ceil(min)),
    max === Infinity ? undefined : BigInt(Math.floor(max)),
  );
}

/** Converts a number. The only bound that a grammar represents exactly is `minimum: 0`; it warns of others. */
export function numberExpression(schema: FlatSchema, pointer: string, { warn }: Conversion): Expression {
  warnStep(schema, pointer, warn);
  const unsigned = typeof schema['minimum'] === 'number' && schema['minimum'] >= 0;
  for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
    if (typeof schema[keyword] === 'number' && !(keyword === 'minimum' && schema[keyword] === 0))
      warn(pointer, keyword, 'weaker');
  }
  if (!unsigned) return rule('number');
  return sequence(choice(literal('0'), sequence(characters('[1-9]'), repeat(characters('[0-9]'), 0, 20))), FRACTION);
}

function boundsOf(schema: FlatSchema): { readonly min: number; readonly max: number } {
  const bound = (keyword: string, unbounded: number): number => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : unbounded;
  };
  const [above, below] = [bound('exclusiveMinimum', -Infinity), bound('exclusiveMaximum', Infinity)];
  return {
    min: Math.max(bound('minimum', -Infinity), Number.isInteger(above) ? above + 1 : above),
    max: Math.min(bound('maximum', Infinity), Number.isInteger(below) ? below - 1 : below),
  };
}

function warnStep(schema: FlatSchema, pointer: string, warn: Conversion['warn']): void {
  const step = schema['multipleOf'];
  if (typeof step !== 'number') return;
  const isWhole = schema['type'] === 'integer' && step === 1;
  if (!isWhole) warn(pointer, 'multipleOf', 'weaker');
}
