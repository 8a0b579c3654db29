import { type Expression, characters, choice, literal, optional, repeat, rule, sequence } from './expression.ts';

const DIGIT = characters('[0-9]');
const HEX = characters('[0-9a-fA-F]');
const ESCAPE = literal('\\');

/** Escapes of single code units and of whole surrogate pairs: an escape is always one character. */
const UNICODE = choice(
  sequence(
    literal('u'),
    choice(sequence(characters('[0-9a-cefA-CEF]'), HEX), sequence(characters('[dD]'), characters('[0-7]'))),
    HEX,
    HEX,
  ),
  sequence(
    literal('u'),
    characters('[dD]'),
    characters('[89abAB]'),
    HEX,
    HEX,
    literal('\\u'),
    characters('[dD]'),
    characters('[c-fC-F]'),
    HEX,
    HEX,
  ),
);

/** More digits than `JSON.stringify` ever writes. Bounded, so that generation ends. */
const INTEGER = sequence(
  optional(literal('-')),
  choice(literal('0'), sequence(characters('[1-9]'), repeat(DIGIT, 0, 20))),
);

/** What can follow an integer to make a number: `.5` and exponents. */
export const FRACTION: Expression = sequence(
  optional(sequence(literal('.'), repeat(DIGIT, 1, 30))),
  optional(sequence(characters('[eE]'), optional(characters('[+-]')), repeat(DIGIT, 1, 3))),
);

/** The rules of JSON itself, which any schema can use. With `compact`, there is no white space between tokens. */
export function jsonRules(compact: boolean): ReadonlyMap<string, Expression> {
  const gap = space(compact);
  const comma = sequence(gap, literal(','), gap);
  const member = sequence(rule('string'), gap, literal(':'), gap, rule('value'));
  const listOf = (part: Expression): Expression => optional(sequence(part, repeat(sequence(comma, part), 0)));
  return new Map<string, Expression>([
    ['ws', repeat(characters(String.raw`[ \t\n\r]`), 0, 40)],
    [
      'char',
      choice(
        characters(String.raw`[^"\\\x00-\x1F]`),
        sequence(ESCAPE, choice(characters(String.raw`["\\/bfnrt]`), UNICODE)),
      ),
    ],
    [
      'escaped',
      sequence(
        ESCAPE,
        choice(
          characters(String.raw`["\\bfnrt]`),
          sequence(literal('u00'), characters('[01]'), characters('[0-9a-f]')),
        ),
      ),
    ],
    ['string', sequence(literal('"'), repeat(rule('char'), 0), literal('"'))],
    ['integer', INTEGER],
    ['number', sequence(INTEGER, FRACTION)],
    ['boolean', choice(literal('true'), literal('false'))],
    ['null', literal('null')],
    ['object', sequence(literal('{'), gap, listOf(member), gap, literal('}'))],
    ['array', sequence(literal('['), gap, listOf(rule('value')), gap, literal(']'))],
    ['value', choice(...['object', 'array', 'string', 'number', 'boolean', 'null'].map(rule))],
    ['text', sequence(characters(String.raw`[^{ \t\n\r]`), repeat(characters(String.raw`[\x01-\U0010FFFF]`), 0))],
  ]);
}

export const ANY = rule('value');

export function space(compact: boolean): Expression {
  return compact ? literal('') : rule('ws');
}
