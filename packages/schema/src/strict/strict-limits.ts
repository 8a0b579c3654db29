import type { JsonSchema } from '@kernel/protocol';
import { isSchemaObject } from '../validator/schema-index.ts';

// What OpenAI's strict mode takes at most, from https://platform.openai.com/docs/guides/structured-outputs#supported-schemas (2026-11).
const MAX_PROPERTIES = 5_000;
const MAX_NESTED_OBJECTS = 10;
const MAX_ENUM_VALUES = 1_000;
const MAX_NAME_LENGTH = 120_000;
const LONG_ENUM = 250;
const MAX_LONG_ENUM_LENGTH = 15_000;

export function isWithinStrictLimits(schema: JsonSchema): boolean {
  const total = { properties: 0, enumValues: 0, nameLength: 0 };

  function countNames(names: readonly unknown[]): number {
    const length = names.reduce<number>((sum, name) => sum + (typeof name === 'string' ? name.length : 0), 0);
    total.nameLength += length;
    return length;
  }

  function count(value: unknown, objects: number): boolean {
    if (!isSchemaObject(value)) return true;
    const { properties, enum: values, const: constant } = value;
    const maps = [properties, value['$defs'], value['definitions']].filter(isSchemaObject);
    for (const map of maps) countNames(Object.keys(map));
    countNames([constant]);
    if (Array.isArray(values)) {
      total.enumValues += values.length;
      if (countNames(values) > MAX_LONG_ENUM_LENGTH && values.length > LONG_ENUM) return false;
    }
    const depth = isSchemaObject(properties) ? objects + 1 : objects;
    if (isSchemaObject(properties)) total.properties += Object.keys(properties).length;
    if (depth > MAX_NESTED_OBJECTS || total.properties > MAX_PROPERTIES) return false;
    if (total.enumValues > MAX_ENUM_VALUES || total.nameLength > MAX_NAME_LENGTH) return false;
    const branches: readonly unknown[] = Array.isArray(value['anyOf']) ? value['anyOf'] : [];
    const inner = [...maps.flatMap((map) => Object.values(map)), value['items'], ...branches];
    return inner.every((each) => count(each, depth));
  }

  return count(schema, 0);
}
