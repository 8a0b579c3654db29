import type { JsonSchema, JsonValue } from '@kernel/protocol';
import type { Slot } from './argument-slots.ts';

/** Whether a value keeps the limits of its argument's schema: length and pattern of a text, range of a number. */
export function isWithin(value: JsonValue, { schema }: Slot): boolean {
  if (typeof value === 'number') return isInRange(value, schema);
  if (typeof value !== 'string') return true;
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' && value.length < minLength) return false;
  if (typeof maxLength === 'number' && value.length > maxLength) return false;
  return typeof pattern !== 'string' || fitsPattern(value, pattern);
}

/** Whether a number keeps the limits of a schema. */
export function isInRange(value: number, schema: JsonSchema): boolean {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if ([type].flat().includes('integer') && !Number.isInteger(value)) return false;
  if (typeof minimum === 'number' && value < minimum) return false;
  if (typeof maximum === 'number' && value > maximum) return false;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  return !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum);
}

/** A pattern that this engine cannot compile is left to the toolset's validator. */
function fitsPattern(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
