import { canonicalJson, isObject, pointerToken, sliceHead } from '@kernel/internal';
import type { JsonSchema, Tool } from '@kernel/protocol';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { isTooDeep } from '../json.ts';
import { FORMATS } from './output-formats.ts';
import { createPatternTester, type PatternTester } from './output-patterns.ts';
import { isSchema, listOf, resolveRef } from './output-schema.ts';

/** How many steps a check may take for each value in a result, and at least. */
const STEPS_PER_VALUE = 50;
const MIN_STEPS = 100_000;
/** How many schemas may apply inside one another: deeper than any result, and far less deep than the stack. */
const MAX_DEPTH = 1200;

interface Check {
  readonly root: JsonSchema;
  readonly patterns: PatternTester;
  /** Counts steps. */
  readonly spend: (steps: number) => void;
  depth: number;
}

/**
 * Returns what is wrong with the structured content of a result, or undefined if it matches the tool's output schema. Schema and content are
 * the server's, so the work is bounded: a result that takes too long to check does not match. Keywords `unevaluated…` are not checked.
 */
export function checkOutput(
  { outputSchema }: Tool,
  { isError, structuredContent }: CallToolResult,
): string | undefined {
  if (outputSchema === undefined || isError === true) return undefined;
  if (structuredContent === undefined) return 'the tool has an output schema, but the result has no structured content';
  if (isTooDeep(structuredContent)) return undefined; // it is left out of the result
  let left = MIN_STEPS + STEPS_PER_VALUE * countValues(structuredContent);
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new RangeError('it takes too long to check');
  };
  try {
    return faultOf(outputSchema, structuredContent, '', {
      root: outputSchema,
      patterns: createPatternTester(),
      spend,
      depth: 0,
    });
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

function countValues(value: unknown): number {
  let count = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const each = waiting.pop();
    count += 1;
    if (typeof each === 'object' && each !== null) for (const member of Object.values(each)) waiting.push(member);
  }
  return count;
}

/** The first thing that is wrong, with a JSON pointer to where. */
function faultOf(schema: unknown, value: unknown, path: string, check: Check): string | undefined {
  check.spend(1);
  if (schema === false) return `${path || '/'} must not be there`;
  if (!isObject(schema)) return undefined;
  check.depth += 1;
  if (check.depth > MAX_DEPTH) throw new RangeError('its schema refers to itself without end');
  const { $ref } = schema;
  const target = typeof $ref === 'string' ? resolveRef(check.root, $ref) : undefined;
  const fault =
    (isSchema(target) ? faultOf(target, value, path, check) : undefined) ??
    ownFault(schema, value, path, check) ??
    combinedFault(schema, value, path, check) ??
    (Array.isArray(value) ? arrayFault(schema, value, path, check) : undefined) ??
    (isObject(value) ? objectFault(schema, value, path, check) : undefined);
  check.depth -= 1;
  return fault;
}

function ownFault(schema: JsonSchema, value: unknown, path: string, check: Check): string | undefined {
  const where = path || '/';
  const { type } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).some((name) => hasType(value, name)))
    return `${where} must be ${JSON.stringify(type)}`;
  if (schema['const'] !== undefined || Array.isArray(schema['enum']) || schema['uniqueItems'] === true)
    check.spend(countValues(value));
  if (schema['const'] !== undefined && canonicalJson(schema['const']) !== canonicalJson(value))
    return `${where} must be the constant of its schema`;
  if (Array.isArray(schema['enum']) && !valuesOf(schema).has(canonicalJson(value)))
    return `${where} must be one of the allowed values`;
  const number = (keyword: string): number | undefined =>
    typeof schema[keyword] === 'number' ? schema[keyword] : undefined;
  const isOutside = (size: number, low: string, high: string): boolean =>
    size < (number(low) ?? -Infinity) || size > (number(high) ?? Infinity);
  if (typeof value === 'number') {
    const step = number('multipleOf');
    const isBetween =
      value > (number('exclusiveMinimum') ?? -Infinity) && value < (number('exclusiveMaximum') ?? Infinity);
    const isMultiple = step === undefined || Math.abs(value / step - Math.round(value / step)) < 1e-8;
    if (isOutside(value, 'minimum', 'maximum') || !isBetween || !isMultiple) return `${where} is out of range`;
  } else if (typeof value === 'string') {
    check.spend(value.length / 100);
    if (isOutside(lengthOf(value), 'minLength', 'maxLength')) return `${where} has the wrong length`;
    const { format, pattern } = schema;
    if (typeof pattern === 'string' && !check.patterns.matches(pattern, value))
      return `${where} must match its pattern`;
    if (typeof format === 'string' && FORMATS.get(format)?.(value) === false) return `${where} must be a ${format}`;
  } else if (Array.isArray(value)) {
    if (isOutside(value.length, 'minItems', 'maxItems')) return `${where} has the wrong number of items`;
    if (schema['uniqueItems'] === true && new Set(value.map((item) => canonicalJson(item))).size < value.length)
      return `${where} has an item twice`;
  } else if (isObject(value) && isOutside(Object.keys(value).length, 'minProperties', 'maxProperties'))
    return `${where} has the wrong number of properties`;
  return undefined;
}

function combinedFault(schema: JsonSchema, value: unknown, path: string, check: Check): string | undefined {
  const passes = (inner: unknown): boolean => faultOf(inner, value, path, check) === undefined;
  const where = path || '/';
  for (const inner of listOf(schema['allOf'])) {
    const fault = faultOf(inner, value, path, check);
    if (fault !== undefined) return fault;
  }
  if (Array.isArray(schema['anyOf']) && !schema['anyOf'].some(passes)) return `${where} matches no form`;
  if (Array.isArray(schema['oneOf']) && schema['oneOf'].filter(passes).length !== 1)
    return `${where} must match exactly one form`;
  if (isSchema(schema['not']) && passes(schema['not'])) return `${where} must be another value`;
  if (!isSchema(schema['if'])) return undefined;
  return faultOf(schema[passes(schema['if']) ? 'then' : 'else'], value, path, check);
}

function arrayFault(schema: JsonSchema, value: readonly unknown[], path: string, check: Check): string | undefined {
  const isTuple = Array.isArray(schema['items']);
  const first = listOf(isTuple ? schema['items'] : schema['prefixItems']);
  const rest = isTuple ? schema['additionalItems'] : schema['items'];
  for (const [index, item] of value.entries()) {
    const fault = faultOf(index < first.length ? first[index] : rest, item, `${path}/${index}`, check);
    if (fault !== undefined) return fault;
  }
  const { contains, maxContains = Infinity, minContains = 1 } = schema;
  if (!isSchema(contains)) return undefined;
  const count = value.filter((item) => faultOf(contains, item, path, check) === undefined).length;
  return count < Number(minContains) || count > Number(maxContains) ? `${path || '/'} lacks an item` : undefined;
}

function objectFault(
  schema: JsonSchema,
  value: { readonly [key: string]: unknown },
  path: string,
  check: Check,
): string | undefined {
  const { additionalProperties, dependentRequired, patternProperties, properties, propertyNames, required } = schema;
  const missing = (names: unknown): unknown => {
    check.spend(listOf(names).length);
    return listOf(names).find((name) => !Object.hasOwn(value, String(name)));
  };
  const dependent = isObject(dependentRequired)
    ? Object.entries(dependentRequired).flatMap(([name, names]) => (Object.hasOwn(value, name) ? [names] : []))
    : [];
  for (const names of [required, ...dependent]) {
    const name = missing(names);
    if (name !== undefined) return `${path || '/'} must have the property ${JSON.stringify(name)}`;
  }
  check.spend(dependent.length);
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}/${pointerToken(name)}`;
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
    const matching = patterns.filter(([source]) => check.patterns.matches(source, name)).map(([, inner]) => inner);
    const inner = own.length + matching.length === 0 ? [additionalProperties] : [...own, ...matching];
    for (const each of inner) {
      const fault = faultOf(each, member, at, check);
      if (fault !== undefined) return fault;
    }
    if (propertyNames !== undefined && faultOf(propertyNames, name, at, check) !== undefined)
      return `${path || '/'} has the property name ${JSON.stringify(sliceHead(name, 80))}`;
  }
  return undefined;
}

function hasType(value: unknown, name: unknown): boolean {
  if (name === 'null') return value === null;
  if (name === 'array') return Array.isArray(value);
  if (name === 'object') return isObject(value);
  return name === 'integer' ? Number.isInteger(value) : typeof value === name;
}

const allowed = new WeakMap<JsonSchema, ReadonlySet<string>>();

/** The values of `enum` as canonical text, once for each schema. */
function valuesOf(schema: JsonSchema): ReadonlySet<string> {
  const known = allowed.get(schema) ?? new Set(listOf(schema['enum']).map((value) => canonicalJson(value)));
  allowed.set(schema, known);
  return known;
}

/** The length in code points. */
function lengthOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) count -= 1;
  return count;
}
