import { canonicalJson } from '@kernel/internal';
import { findJsonLoss, unwrapArguments } from '@kernel/protocol';

/**
 * Returns argument text in canonical form: unwrapped, keys sorted, no white space. Text that is not valid JSON, or that `JSON.parse` would
 * change, is only trimmed: what a person approved stays distinct.
 */
export function canonicalArguments(text: string): string {
  return canonicalize(text, (json) => {
    const value: unknown = JSON.parse(json);
    return findJsonLoss(json, value, true) === undefined ? value : undefined;
  });
}

/**
 * Returns what a tool reads in argument text, in canonical form and without the fields of some names at any depth: no arguments are an empty object,
 * and of a duplicate key the last value counts. Text that no tool accepts is only trimmed.
 */
export function canonicalInput(text: string, ignored: ReadonlySet<string>): string {
  return canonicalize(text.trim() === '' ? '{}' : text, (json) => {
    const value: unknown = JSON.parse(json);
    if (findJsonLoss(json, value, false) !== undefined) return undefined;
    if (ignored.size === 0) return value;
    return JSON.parse(json, function keep(this: unknown, key: string, field: unknown) {
      return ignored.has(key) && !Array.isArray(this) ? undefined : field;
    });
  });
}

function canonicalize(text: string, parse: (json: string) => unknown): string {
  try {
    const value = parse(unwrapArguments(text));
    return value === undefined ? text.trim() : canonicalJson(value);
  } catch {
    return text.trim();
  }
}
