import { canonicalJson } from '@kernel/internal';
import { findJsonLoss, unwrapArguments } from '@kernel/protocol';

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns argument text in canonical form: unwrapped, keys sorted, no white space, and without the fields of some names at any depth. Text that
 * is not valid JSON, or that `JSON.parse` would change, is only trimmed.
 */
export function canonicalArguments(text: string, ignored: ReadonlySet<string> = NONE): string {
  try {
    const json = unwrapArguments(text);
    const value: unknown = JSON.parse(json);
    if (findJsonLoss(json, value, true) !== undefined) return text.trim();
    if (ignored.size === 0) return canonicalJson(value);
    return canonicalJson(
      JSON.parse(json, function keep(this: unknown, key: string, field: unknown) {
        return ignored.has(key) && !Array.isArray(this) ? undefined : field;
      }),
    );
  } catch {
    return text.trim();
  }
}
