import { pointerToken } from '@kernel/internal';
import { isSchema, type Schema } from '@kernel/schema';
import { complement, jsonCharacter } from './code-points.ts';
import type { Conversion } from './conversion.ts';
import { EMPTY, type Expression, NEVER, choice, literal, optional, repeat, rule, sequence } from './expression.ts';
import { type FlatSchema, namesOf, propertiesOf } from './flatten.ts';
import { space } from './json-rules.ts';

interface Member {
  readonly expression: Expression;
  readonly required: boolean;
}

/** Converts an object: the declared properties in order, any subset of the optional ones, then other properties if they are allowed. */
export function objectExpression(schema: FlatSchema, pointer: string, conversion: Conversion): Expression {
  const gap = space(conversion.compact);
  const comma = sequence(gap, literal(','), gap);
  const colon = sequence(gap, literal(':'), gap);
  const properties = propertiesOf(schema);
  const required = new Set(namesOf(schema, 'required'));
  const others = othersOf(schema, pointer, conversion);
  const undeclared = [...required].filter((name) => !properties.has(name));
  const declared: [string, Schema][] = [...properties, ...undeclared.map((name): [string, Schema] => [name, others])];

  const members: Member[] = [];
  for (const [name, value] of declared) {
    const valuePointer = properties.has(name)
      ? `${pointer}/properties/${pointerToken(name)}`
      : `${pointer}/additionalProperties`;
    const expression = sequence(literal(JSON.stringify(name)), colon, conversion.convert(value, valuePointer));
    if (expression.kind === 'never' && required.has(name)) return NEVER;
    if (expression.kind !== 'never') members.push({ expression, required: required.has(name) });
  }
  const other = sequence(
    literal('"'),
    otherName(declared.map(([name]) => name)),
    literal('"'),
    colon,
    conversion.convert(others, `${pointer}/additionalProperties`),
  );
  const extra = others === false ? NEVER : conversion.define(other);
  return sequence(literal('{'), gap, membersExpression(members, extra, comma, conversion), gap, literal('}'));
}

/** Before the first member there is no comma, so each possible first member is a choice of its own; the rest is a chain. */
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
    const startingHere = sequence(member.expression, rest);
    const separated = sequence(comma, member.expression);
    first = member.required ? startingHere : first === EMPTY ? optional(startingHere) : choice(startingHere, first);
    rest = member.required ? sequence(separated, rest) : sequence(optional(separated), rest);
  }
  return first;
}

function othersOf(schema: FlatSchema, pointer: string, { closed, warn }: Conversion): Schema {
  if ('patternProperties' in schema) return true;
  const additional = schema['additionalProperties'];
  if (additional === undefined && closed) {
    warn(pointer, 'additionalProperties', 'stronger');
    return false;
  }
  return isSchema(additional) ? additional : true;
}

interface TrieNode {
  isName: boolean;
  readonly next: Map<string, TrieNode>;
}

/** Matches the content of a JSON string that is none of these names. */
function otherName(names: readonly string[]): Expression {
  if (names.length === 0) return repeat(rule('char'), 0);
  const root: TrieNode = { isName: false, next: new Map() };
  for (const name of names) {
    let node = root;
    for (const character of name) {
      const next = node.next.get(character) ?? { isName: false, next: new Map<string, TrieNode>() };
      node.next.set(character, next);
      node = next;
    }
    node.isName = true;
  }
  return differing(root);
}

function differing({ isName, next }: TrieNode): Expression {
  const excluded = [...next.keys()].map((character) => character.codePointAt(0) ?? 0);
  const differs = anyBut(excluded);
  const continues = [...next].map(([character, node]) =>
    sequence(literal(JSON.stringify(character).slice(1, -1)), differing(node)),
  );
  const longer = choice(sequence(differs, repeat(rule('char'), 0)), ...continues);
  return isName ? longer : optional(longer);
}

/** Expressions for any character but one ASCII character, or but none: the common cases. At most 129 entries. */
const cache = new Map<number, Expression>();

function anyBut(excluded: readonly number[]): Expression {
  const [first = -1] = excluded;
  const cached = excluded.length < 2 && first < 0x80 ? cache.get(first) : undefined;
  if (cached !== undefined) return cached;
  const expression = jsonCharacter(complement(excluded.map((code) => [code, code])));
  if (excluded.length < 2 && first < 0x80) cache.set(first, expression);
  return expression;
}
