import { attempt, isObject } from '@kernel/internal';
import type { JsonObject, JsonSchema, JsonValue, Tool } from '@kernel/protocol';

const NOTES = /^(?:\$schema|\$id|\$comment|title|description|default|examples|deprecated|format)$/;

const KEEPS: Readonly<Record<string, (value: JsonValue, limit: unknown) => boolean>> = {
  type: (value, limit) => {
    const type = Array.isArray(value) ? 'array' : typeof value;
    return [limit].flat().some((one) => one === type || (one === 'integer' && Number.isInteger(value)));
  },
  enum: (value, limit) => Array.isArray(limit) && limit.includes(value),
  const: (value, limit) => value === limit,
  pattern: (value, limit) =>
    // A pattern that this engine cannot compile is left to the validator of the tools.
    typeof value !== 'string' || (attempt(() => new RegExp(String(limit), 'u'))?.test(value) ?? true),
  minLength: (value, limit) => typeof value !== 'string' || value.length >= Number(limit),
  maxLength: (value, limit) => typeof value !== 'string' || value.length <= Number(limit),
  minimum: (value, limit) => typeof value !== 'number' || value >= Number(limit),
  maximum: (value, limit) => typeof value !== 'number' || value <= Number(limit),
  exclusiveMinimum: (value, limit) => typeof value !== 'number' || value > Number(limit),
  exclusiveMaximum: (value, limit) => typeof value !== 'number' || value < Number(limit),
};

/** Whether a value keeps the limits of a schema. Keywords that are not known here are left to the validator of the tools, unless it has to be `certain`. */
export function isWithin(value: JsonValue, schema: JsonSchema, certain = false): boolean {
  return Object.entries(schema).every(([keyword, limit]) =>
    Object.hasOwn(KEEPS, keyword) ? KEEPS[keyword]?.(value, limit) === true : !certain || NOTES.test(keyword),
  );
}

/** Whether a call is certainly valid: it has what the tool requires and nothing that it does not know, and no keyword of the schema is unknown here. */
export function isValidCall({ parameters }: Tool, input: JsonObject): boolean {
  const { type: _, properties = {}, required = [], additionalProperties: __, ...others } = parameters;
  if (!isObject(properties) || !Array.isArray(required)) return false;
  if (!Object.keys(others).every((keyword) => NOTES.test(keyword))) return false;
  if (required.some((name) => typeof name !== 'string' || !Object.hasOwn(input, name))) return false;
  return Object.entries(input).every(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(schema) && isWithin(value, schema, true);
  });
}
