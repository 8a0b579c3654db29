import type { JsonSchema } from '@kernel/protocol';
import { compileSchema, indexSchema, isSchemaObject, type Schema } from '@kernel/schema';
import { arrayExpression } from './arrays.ts';
import type { Spend } from './budget.ts';
import type { Conversion, Warn } from './conversion.ts';
import { type Expression, NEVER, choice, literal, rule } from './expression.ts';
import {
  type FlatSchema,
  type FlattenContext,
  areDisjoint,
  flatten,
  propertiesOf,
  namesOf,
  schemasOf,
  typesOf,
  valuesOf,
} from './flatten.ts';
import { objectExpression } from './objects.ts';
import { integerExpression, numberExpression, stringExpression } from './scalars.ts';
import { ANY } from './json-rules.ts';

const noWarning: Warn = () => undefined;

const ANNOTATIONS = new Set(
  '$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
);
/** The text of a schema counts like this many schemas: merged ones can grow. */
const CHARACTERS_PER_SCHEMA = 1024;
const TYPE_NAMES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Keywords that are checked of the values of `enum` and `const`. */
const VALUE_KEYWORDS = [
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
const UNSUPPORTED = [
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

/** Converts a valid schema into rules whose names begin with `prefix`. The first rule is the schema itself. */
export function convertSchema(
  root: JsonSchema,
  prefix: string,
  options: Pick<Conversion, 'compact' | 'closed' | 'formats' | 'warn'>,
  spend: Spend,
): ReadonlyMap<string, Expression> {
  const { warn } = options;
  const index = indexSchema(root);
  const context: FlattenContext = { index, spend };
  const rules = new Map<string, Expression>();
  const ruleNames = new Map<string, string>();
  let count = 0;

  function define(expression: Expression): Expression {
    if (expression.kind === 'rule' || expression.kind === 'never') return expression;
    count += 1;
    const name = `${prefix}-${count}`;
    rules.set(name, expression);
    return rule(name);
  }

  function convert(schema: Schema, pointer: string): Expression {
    if (schema === true) return ANY;
    if (schema === false) return NEVER;
    const key = JSON.stringify(schema);
    spend(1 + key.length / CHARACTERS_PER_SCHEMA);
    const existing = ruleNames.get(key);
    if (existing !== undefined) return rule(existing);
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
    if (keywords.length === 0) return ANY;
    const name = ruleNames.size === 0 ? prefix : `${prefix}-${(count += 1)}`;
    ruleNames.set(key, name);
    rules.set(name, NEVER);
    const expression = expressionOf(schema, keywords, pointer);
    // A plain type needs no rule of its own, unless something inside already refers to it.
    if (expression.kind === 'rule' && name !== prefix && !expression.name.startsWith(prefix)) {
      rules.delete(name);
      ruleNames.delete(key);
      return expression;
    }
    rules.set(name, expression);
    return rule(name);
  }

  function expressionOf(schema: JsonSchema, keywords: readonly string[], pointer: string): Expression {
    const [only] = keywords;
    const reference = schema['$ref'];
    if (only === '$ref' && keywords.length === 1 && typeof reference === 'string') {
      const target = index.resolve(reference, index.resourceOf(schema));
      if (target !== undefined) return convert(target.schema, pointer);
    }
    if (keywords.length === 1 && (only === 'anyOf' || only === 'oneOf')) {
      const parts = schemasOf(schema, only);
      if (only === 'oneOf' && !areDisjoint(parts.map((part) => flatten(part, pointer, context, noWarning))))
        warn(pointer, 'oneOf', 'weaker');
      return choice(...parts.map((part, position) => convert(part, `${pointer}/${only}/${position}`)));
    }
    return choice(...flatten(schema, pointer, context, warn).map((flat) => flatExpression(flat, pointer)));
  }

  function flatExpression(flat: FlatSchema, pointer: string): Expression {
    warnUnsupported(flat, pointer, warn);
    const values = valuesOf(flat);
    if (values !== undefined) {
      const isValid = valueCheck(flat);
      if (
        values.some((value) => typeof value === 'object' && value !== null) &&
        ['properties', 'items', 'additionalProperties'].some((keyword) => keyword in flat)
      )
        warn(pointer, 'enum', 'weaker');
      return choice(...values.filter(isValid).map((value) => literal(JSON.stringify(value))));
    }
    const types = typesOf(flat) ?? TYPE_NAMES;
    return choice(
      ...TYPE_NAMES.filter((type) => types.includes(type) && !(type === 'integer' && types.includes('number'))).map(
        (type) => typeExpression(type, flat, pointer),
      ),
    );
  }

  function typeExpression(type: string, flat: FlatSchema, pointer: string): Expression {
    switch (type) {
      case 'object':
        return isFreeForm(flat) && !conversion.closed ? rule('object') : objectExpression(flat, pointer, conversion);
      case 'array':
        return arrayExpression(flat, pointer, conversion);
      case 'string':
        return stringExpression(flat, pointer, conversion);
      case 'number':
        return numberExpression(flat, pointer, conversion);
      case 'integer':
        return integerExpression(flat, pointer, conversion);
      default:
        return rule(type);
    }
  }

  const conversion: Conversion = { ...options, convert, define };
  const rootExpression = convert(root, '');
  if (!rules.has(prefix)) rules.set(prefix, rootExpression);
  return rules;
}

/** Returns a check of an enumerated value against the other keywords. Most schemas have none, or a type, and need no validator. */
function valueCheck(flat: FlatSchema): (value: unknown) => boolean {
  const checks = VALUE_KEYWORDS.flatMap((keyword) => (keyword in flat ? [[keyword, flat[keyword]] as const] : []));
  if (checks.length === 0) return () => true;
  if (checks.length === 1 && flat['type'] === 'string') return (value) => typeof value === 'string';
  const validator = compileSchema(Object.fromEntries(checks));
  return (value) => validator.test(value);
}

function isFreeForm(flat: FlatSchema): boolean {
  return !['properties', 'required', 'additionalProperties'].some((keyword) => keyword in flat);
}

/** Warns of keywords that no grammar represents, unless another keyword makes them redundant. */
function warnUnsupported(flat: FlatSchema, pointer: string, warn: Warn): void {
  for (const keyword of UNSUPPORTED) if (keyword in flat && flat[keyword] !== true) warn(pointer, keyword, 'weaker');
  if (flat['uniqueItems'] === true && !(Number(flat['maxItems']) <= 1)) warn(pointer, 'uniqueItems', 'weaker');
  if (Number(flat['minProperties']) > namesOf(flat, 'required').length) warn(pointer, 'minProperties', 'weaker');
  const isFixed = flat['additionalProperties'] === false && !isSchemaObject(flat['patternProperties']);
  const isBounded = isFixed && propertiesOf(flat).size <= Number(flat['maxProperties']);
  if ('maxProperties' in flat && !isBounded) warn(pointer, 'maxProperties', 'weaker');
}
