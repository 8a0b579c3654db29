import { isSchema, type Schema } from '@kernel/schema';
import { type Conversion, countOf } from './conversion.ts';
import { EMPTY, type Expression, NEVER, literal, optional, repeat, sequence } from './expression.ts';
import { type FlatSchema, schemasOf } from './flatten.ts';
import { space } from './json-rules.ts';

/** Converts an array: the items by position, then as many more as `minItems` and `maxItems` allow. */
export function arrayExpression(schema: FlatSchema, pointer: string, conversion: Conversion): Expression {
  const gap = space(conversion.compact);
  const comma = sequence(gap, literal(','), gap);
  const { first, key, rest } = itemsOf(schema);
  const min = countOf(schema, 'minItems', pointer, conversion.warn) ?? 0;
  const max = countOf(schema, 'maxItems', pointer, conversion.warn);
  if (max !== undefined && min > max) return NEVER;

  const heads = first.slice(0, max).map((item, position) => conversion.convert(item, `${pointer}/${key}/${position}`));
  const more = max !== undefined && max <= heads.length ? NEVER : conversion.convert(rest, `${pointer}/items`);
  const tailMin = Math.max(0, min - heads.length);
  const tailMax = max === undefined ? undefined : max - heads.length;

  let tail: Expression;
  if (heads.length === 0) {
    const some = sequence(
      more,
      repeat(sequence(comma, more), Math.max(0, min - 1), max === undefined ? undefined : max - 1),
    );
    tail = max === 0 ? EMPTY : min === 0 ? (some.kind === 'never' ? EMPTY : optional(some)) : some;
  } else {
    tail = repeat(sequence(comma, more), tailMin, more.kind === 'never' && tailMin === 0 ? 0 : tailMax);
    for (let position = heads.length - 1; position >= 0; position -= 1) {
      const item = sequence(position === 0 ? EMPTY : comma, heads[position] ?? NEVER, tail);
      tail = position >= min ? (item.kind === 'never' ? EMPTY : optional(item)) : item;
    }
  }
  return sequence(literal('['), gap, tail, gap, literal(']'));
}

function itemsOf(schema: FlatSchema): {
  readonly first: readonly Schema[];
  readonly key: string;
  readonly rest: Schema;
} {
  const { items, additionalItems } = schema;
  if (Array.isArray(items)) {
    return {
      first: schemasOf(schema, 'items'),
      key: 'items',
      rest: isSchema(additionalItems) ? additionalItems : true,
    };
  }
  return { first: schemasOf(schema, 'prefixItems'), key: 'prefixItems', rest: isSchema(items) ? items : true };
}
