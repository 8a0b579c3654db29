/**
 * Whether the JSON text of what a schema library has made says all of it: it is made of what JSON has, and of large integers, dates, maps and sets. A
 * regular expression, an instance of a class, a function or `Infinity` has the text of other values too. Never throws.
 */
export function isToldByJson(value: unknown): boolean {
  try {
    // Throws for a circle.
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? 0 : each));
    return isTold(value);
  } catch {
    return false;
  }
}

function isTold(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return ['string', 'boolean', 'bigint'].includes(typeof value);
  if (value === null) return true;
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  const names = Object.getOwnPropertyNames(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value))
    return prototype === Array.prototype && names.length === value.length + 1 && value.every((each) => isTold(each));
  if (prototype === Object.prototype || prototype === null) {
    const members = Object.entries(value);
    // A member that is undefined counts as one that is left out.
    return members.length === names.length && members.every(([, each]) => each === undefined || isTold(each));
  }
  if (names.length > 0) return false;
  if (prototype === Date.prototype) return value instanceof Date && !Number.isNaN(value.getTime());
  const holds =
    (prototype === Map.prototype && value instanceof Map) || (prototype === Set.prototype && value instanceof Set);
  return holds && [...value].every((each) => isTold(each));
}
