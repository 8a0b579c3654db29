import { escapeToken } from '../schema/check.ts';
import { type Schema, isSchema } from '../schema/schema-index.ts';
import { complement, jsonCharacter } from './code-points.ts';
import type { Conversion } from './convert-schema.ts';
import { EMPTY, type Expression, NEVER, choice, literal, optional, repeat, rule, sequence } from './expression.ts';
import { type FlatSchema, namesOf, propertiesOf } from './flatten.ts';
import { space } from './json-rules.ts';

interface Member {
  readonly expression: Expression;
  readonly required: boolean;
}

/** An object: the declared properties in their order, any subset of the optional ones, then whatever else is allowed. */
export function objectExpression(schema: FlatSchema, at: string, conversion: Conversion): Expression {
  const gap = space(conversion.compact);
  const comma = sequence(gap, literal(','), gap);
  const colon = sequence(gap, literal(':'), gap);
  const properties = propertiesOf(schema);
  const required = new Set(namesOf(schema, 'required'));
  const others = othersOf(schema, at, conversion);
  const undeclared = [...required].filter((name) => !properties.has(name));
  const declared: [string, Schema][] = [...properties, ...undeclared.map((name): [string, Schema] => [name, others])];

  const members: Member[] = [];
  for (const [name, value] of declared) {
    const place = properties.has(name) ? `${at}/properties/${escapeToken(name)}` : `${at}/additionalProperties`;
    const expression = sequence(literal(JSON.stringify(name)), colon, conversion.convert(value, place));
    if (expression.kind === 'never' && required.has(name)) return NEVER;
    if (expression.kind !== 'never') members.push({ expression, required: required.has(name) });
  }
  const other = sequence(
    literal('"'),
    otherName(declared.map(([name]) => name)),
    literal('"'),
    colon,
    conversion.convert(others, `${at}/additionalProperties`),
  );
  const extra = others === false ? NEVER : conversion.define(other);
  return sequence(literal('{'), gap, membersExpression(members, extra, comma, conversion), gap, literal('}'));
}

/** What follows once a member stands is a chain; before that, each first member that can be is a choice of its own. */
function membersExpression(
  members: readonly Member[],
  extra: Expression,
  comma: Expression,
  conversion: Conversion,
): Expression {
  let rest: Expression = extra.kind === 'never' ? EMPTY : repeat(sequence(comma, extra), 0);
  let first: Expression = extra.kind === 'never' ? EMPTY : optional(sequence(extra, rest));
  for (const member of members.toReversed()) {
    if (rest.kind !== 'rule' && rest !== EMPTY) rest = conversion.define(rest);
    const begun = sequence(member.expression, rest);
    const separated = sequence(comma, member.expression);
    first = member.required ? begun : first === EMPTY ? optional(begun) : choice(begun, first);
    rest = member.required ? sequence(separated, rest) : sequence(optional(separated), rest);
  }
  return first;
}

function othersOf(schema: FlatSchema, at: string, { closed, warn }: Conversion): Schema {
  if ('patternProperties' in schema) return true;
  const given = schema['additionalProperties'];
  if (given === undefined && closed) {
    warn(at, 'additionalProperties', 'stronger');
    return false;
  }
  return isSchema(given) ? given : true;
}

interface Branch {
  ends: boolean;
  readonly next: Map<string, Branch>;
}

/** What stands between the quotes of any name but these. An escape is never taken for a character of one of them. */
function otherName(names: readonly string[]): Expression {
  if (names.length === 0) return repeat(rule('char'), 0);
  const root: Branch = { ends: false, next: new Map() };
  for (const name of names) {
    let branch = root;
    for (const character of name) {
      const next = branch.next.get(character) ?? { ends: false, next: new Map<string, Branch>() };
      branch.next.set(character, next);
      branch = next;
    }
    branch.ends = true;
  }
  return differing(root);
}

function differing({ ends, next }: Branch): Expression {
  const known = [...next.keys()].map((character) => character.codePointAt(0) ?? 0);
  const away = anyBut(known);
  const on = [...next].map(([character, branch]) =>
    sequence(literal(JSON.stringify(character).slice(1, -1)), differing(branch)),
  );
  const some = choice(sequence(away, repeat(rule('char'), 0)), ...on);
  return ends ? some : optional(some);
}

/** Most branches differ from one ASCII character, or from none: these are made once. At most 129 of them. */
const made = new Map<number, Expression>();

function anyBut(known: readonly number[]): Expression {
  const [only = -1] = known;
  const kept = known.length < 2 && only < 0x80 ? made.get(only) : undefined;
  if (kept !== undefined) return kept;
  const expression = jsonCharacter(complement(known.map((code) => [code, code])));
  if (known.length < 2 && only < 0x80) made.set(only, expression);
  return expression;
}
