import type { Conversion } from './convert-schema.ts';
import { countOf } from './counts.ts';
import { type Expression, NEVER, literal, repeat, rule, sequence, choice, characters } from './expression.ts';
import type { FlatSchema } from './flatten.ts';
import { formatString } from './formats.ts';
import { integersBetween } from './integers.ts';
import { regularString } from './regular-expression.ts';
import { FRACTION } from './json-rules.ts';

/** A string by pattern, format (where formats are asked for) or length: the first that can be held. */
export function stringExpression(schema: FlatSchema, at: string, { formats, warn }: Conversion): Expression {
  const { format, pattern } = schema;
  const min = countOf(schema, 'minLength', at, warn) ?? 0;
  const max = countOf(schema, 'maxLength', at, warn);
  if (max !== undefined && min > max) return NEVER;
  const matching = typeof pattern === 'string' ? regularString(pattern) : undefined;
  if (typeof pattern === 'string' && matching === undefined) warn(at, 'pattern', 'weaker');
  const formatted = typeof format === 'string' && formats ? formatString(format) : undefined;
  if (typeof format === 'string' && (formatted === undefined || matching !== undefined)) warn(at, 'format', 'weaker');
  const held = matching ?? formatted;
  if (held === undefined) {
    if (min === 0 && max === undefined) return rule('string');
    return sequence(literal('"'), repeat(rule('char'), min, max), literal('"'));
  }
  if (min > 0) warn(at, 'minLength', 'weaker');
  if (max !== undefined) warn(at, 'maxLength', 'weaker');
  return sequence(literal('"'), held, literal('"'));
}

/** An integer between its bounds, both exact. */
export function integerExpression(schema: FlatSchema, at: string, { warn }: Conversion): Expression {
  warnStep(schema, at, warn);
  const { least, most } = boundsOf(schema);
  if (least === -Infinity && most === Infinity) return rule('integer');
  return integersBetween(
    least === -Infinity ? undefined : BigInt(Math.ceil(least)),
    most === Infinity ? undefined : BigInt(Math.floor(most)),
  );
}

/** A number. Of its bounds only `minimum: 0` can be held; other ones are warned of. */
export function numberExpression(schema: FlatSchema, at: string, { warn }: Conversion): Expression {
  warnStep(schema, at, warn);
  const unsigned = typeof schema['minimum'] === 'number' && schema['minimum'] >= 0;
  for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
    if (typeof schema[keyword] === 'number' && !(keyword === 'minimum' && schema[keyword] === 0))
      warn(at, keyword, 'weaker');
  }
  if (!unsigned) return rule('number');
  return sequence(choice(literal('0'), sequence(characters('[1-9]'), repeat(characters('[0-9]'), 0, 20))), FRACTION);
}

function boundsOf(schema: FlatSchema): { readonly least: number; readonly most: number } {
  const bound = (keyword: string, none: number): number => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : none;
  };
  const [above, below] = [bound('exclusiveMinimum', -Infinity), bound('exclusiveMaximum', Infinity)];
  return {
    least: Math.max(bound('minimum', -Infinity), Number.isInteger(above) ? above + 1 : above),
    most: Math.min(bound('maximum', Infinity), Number.isInteger(below) ? below - 1 : below),
  };
}

function warnStep(schema: FlatSchema, at: string, warn: Conversion['warn']): void {
  const step = schema['multipleOf'];
  if (typeof step !== 'number') return;
  const isWhole = schema['type'] === 'integer' && step === 1;
  if (!isWhole) warn(at, 'multipleOf', 'weaker');
}
