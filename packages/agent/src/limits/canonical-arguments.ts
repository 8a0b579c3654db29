import type { JsonValue } from '@kernel/protocol';

/** Returns argument text in one spelling: keys sorted, no white space. Text that is no JSON comes back as it is. */
export function canonicalArguments(text: string): string {
  try {
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives
    const value = JSON.parse(text) as JsonValue;
    return JSON.stringify(sorted(value));
  } catch {
    return text.trim();
  }
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Entries, not assignment: `__proto__` is a key like others.
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
