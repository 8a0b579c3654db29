import { isObject } from '@kernel/internal';
import type { JsonObject, JsonSchema, JsonValue, Tool } from '@kernel/protocol';

/** Keywords that say nothing of what is valid. */
const NOTES = /^(?:\$schema|\$id|\$comment|title|description|default|examples|deprecated|format)$/;

/** Whether a text, number or boolean keeps the limits of a schema. Keywords that are not known here are left to the validator of the tools. */
export function isWithin(value: JsonValue, schema: JsonSchema): boolean {
  return Object.entries(schema).every(([keyword, limit]) => keeps(value, keyword, limit) !== false);
}

/** Whether a call is certainly valid: it has what the tool requires and nothing that it does not know, and no keyword of the schema is unknown here. */
export function isValidCall({ parameters }: Tool, input: JsonObject): boolean {
  const { type: _, properties = {}, required = [], additionalProperties: __, ...others } = parameters;
  if (!isObject(properties) || !Array.isArray(required)) return false;
  if (!Object.keys(others).every((keyword) => NOTES.test(keyword))) return false;
  if (required.some((name) => typeof name !== 'string' || !Object.hasOwn(input, name))) return false;
  return Object.entries(input).every(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isObject(schema)) return false;
    return Object.entries(schema).every(([keyword, limit]) => keeps(value, keyword, limit) ?? NOTES.test(keyword));
  });
}

/** Whether a value keeps one keyword; `undefined` for an unknown one. */
function keeps(value: JsonValue, keyword: string, limit: unknown): boolean | undefined {
  const bound = Number(limit);
  const isText = typeof value === 'string';
  const isNumber = typeof value === 'number';
  switch (keyword) {
    case 'type':
      return [limit].flat().some((type) => type === typeOf(value) || (type === 'integer' && Number.isInteger(value)));
    case 'enum':
      return Array.isArray(limit) && limit.includes(value);
    case 'const':
      return value === limit;
    case 'pattern':
      return !isText || fitsPattern(value, String(limit));
    case 'minLength':
      return !isText || value.length >= bound;
    case 'maxLength':
      return !isText || value.length <= bound;
    case 'minimum':
      return !isNumber || value >= bound;
    case 'maximum':
      return !isNumber || value <= bound;
    case 'exclusiveMinimum':
      return !isNumber || value > bound;
    case 'exclusiveMaximum':
      return !isNumber || value < bound;
    default:
      return undefined;
  }
}

function typeOf(value: JsonValue): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** A pattern that this engine cannot compile is left to the validator of the tools. */
function fitsPattern(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
