import type { JsonSchema } from '@kernel/protocol';
import { compileSchema } from '../schema/compile-schema.ts';
import { type Schema, indexSchema, isSchemaObject } from '../schema/schema-index.ts';
import { arrayExpression } from './arrays.ts';
import { type Expression, NEVER, choice, literal, rule } from './expression.ts';
import { type FlatSchema, areApart, flatten, propertiesOf, namesOf, schemasOf, typesOf, valuesOf } from './flatten.ts';
import { objectExpression } from './objects.ts';
import { integerExpression, numberExpression, stringExpression } from './scalars.ts';
import { ANY } from './json-rules.ts';
import type { Warn } from './warning.ts';

/** What the parts of one conversion share. */
export interface Conversion {
  readonly compact: boolean;
  readonly closed: boolean;
  readonly formats: boolean;
  readonly warn: Warn;
  /** The expression of a schema: a rule of its own for all but the simplest. */
  convert(schema: Schema, at: string): Expression;
  /** Gives an expression a rule of its own. */
  define(expression: Expression): Expression;
}

const silent: Warn = () => undefined;

const ANNOTATIONS = new Set(
  '$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
);
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const SCALAR_CHECKS = [
  'type',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'required',
  'minProperties',
  'maxProperties',
  'uniqueItems',
];
const BEYOND = [
  'not',
  'if',
  'contains',
  'propertyNames',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
];

/** Converts a sound schema into rules, all of whose names begin with `prefix`. The first is the schema itself. */
export function convertSchema(
  root: JsonSchema,
  prefix: string,
  options: Pick<Conversion, 'compact' | 'closed' | 'formats' | 'warn'>,
): ReadonlyMap<string, Expression> {
  const { warn } = options;
  const index = indexSchema(root);
  const rules = new Map<string, Expression>();
  const named = new Map<string, string>();
  let count = 0;

  function define(expression: Expression): Expression {
    if (expression.kind === 'rule' || expression.kind === 'never') return expression;
    count += 1;
    const name = `${prefix}-${count}`;
    rules.set(name, expression);
    return rule(name);
  }

  function convert(schema: Schema, at: string): Expression {
    if (schema === true) return ANY;
    if (schema === false) return NEVER;
    const key = JSON.stringify(schema);
    const known = named.get(key);
    if (known !== undefined) return rule(known);
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
    if (keywords.length === 0) return ANY;
    const name = named.size === 0 ? prefix : `${prefix}-${(count += 1)}`;
    named.set(key, name);
    rules.set(name, NEVER);
    const expression = expressionOf(schema, keywords, at);
    // A plain type needs no rule of its own, unless something inside has already come back to it.
    if (expression.kind === 'rule' && name !== prefix && !expression.name.startsWith(prefix)) {
      rules.delete(name);
      named.delete(key);
      return expression;
    }
    rules.set(name, expression);
    return rule(name);
  }

  function expressionOf(schema: JsonSchema, keywords: readonly string[], at: string): Expression {
    const [only] = keywords;
    const reference = schema['$ref'];
    if (only === '$ref' && keywords.length === 1 && typeof reference === 'string') {
      const target = index.resolve(reference, index.resourceOf(schema));
      if (target !== undefined) return convert(target.schema, at);
    }
    if (keywords.length === 1 && (only === 'anyOf' || only === 'oneOf')) {
      const parts = schemasOf(schema, only);
      if (only === 'oneOf' && !areApart(parts.map((part) => flatten(part, at, index, silent))))
        warn(at, 'oneOf', 'weaker');
      return choice(...parts.map((part, place) => convert(part, `${at}/${only}/${place}`)));
    }
    return choice(...flatten(schema, at, index, warn).map((flat) => flatExpression(flat, at)));
  }

  function flatExpression(flat: FlatSchema, at: string): Expression {
    warnBeyond(flat, at, warn);
    const values = valuesOf(flat);
    if (values !== undefined) {
      const fits = checkOf(flat);
      if (
        values.some((value) => typeof value === 'object' && value !== null) &&
        ['properties', 'items', 'additionalProperties'].some((keyword) => keyword in flat)
      )
        warn(at, 'enum', 'weaker');
      return choice(...values.filter(fits).map((value) => literal(JSON.stringify(value))));
    }
    const types = typesOf(flat) ?? TYPES;
    return choice(
      ...TYPES.filter((type) => types.includes(type) && !(type === 'integer' && types.includes('number'))).map((type) =>
        typeExpression(type, flat, at),
      ),
    );
  }

  function typeExpression(type: string, flat: FlatSchema, at: string): Expression {
    switch (type) {
      case 'object':
        return plainObject(flat) && !conversion.closed ? rule('object') : objectExpression(flat, at, conversion);
      case 'array':
        return arrayExpression(flat, at, conversion);
      case 'string':
        return stringExpression(flat, at, conversion);
      case 'number':
        return numberExpression(flat, at, conversion);
      case 'integer':
        return integerExpression(flat, at, conversion);
      default:
        return rule(type);
    }
  }

  const conversion: Conversion = { ...options, convert, define };
  const whole = convert(root, '');
  if (!rules.has(prefix)) rules.set(prefix, whole);
  return rules;
}

/** The check of what else a flat schema says of a listed value. Most say nothing, or a type, and need no validator. */
function checkOf(flat: FlatSchema): (value: unknown) => boolean {
  const checks = SCALAR_CHECKS.flatMap((keyword) => (keyword in flat ? [[keyword, flat[keyword]] as const] : []));
  if (checks.length === 0) return () => true;
  if (checks.length === 1 && flat['type'] === 'string') return (value) => typeof value === 'string';
  const validator = compileSchema(Object.fromEntries(checks));
  return (value) => validator.test(value);
}

function plainObject(flat: FlatSchema): boolean {
  return !['properties', 'required', 'additionalProperties'].some((keyword) => keyword in flat);
}

/** Warns of keywords that no grammar holds, unless another keyword makes them empty. */
function warnBeyond(flat: FlatSchema, at: string, warn: Warn): void {
  for (const keyword of BEYOND) if (keyword in flat && flat[keyword] !== true) warn(at, keyword, 'weaker');
  if (flat['uniqueItems'] === true && !(Number(flat['maxItems']) <= 1)) warn(at, 'uniqueItems', 'weaker');
  if (Number(flat['minProperties']) > namesOf(flat, 'required').length) warn(at, 'minProperties', 'weaker');
  const fixed = flat['additionalProperties'] === false && !isSchemaObject(flat['patternProperties']);
  const bounded = fixed && propertiesOf(flat).size <= Number(flat['maxProperties']);
  if ('maxProperties' in flat && !bounded) warn(at, 'maxProperties', 'weaker');
}
