import { canonicalJson } from '@kernel/internal';
import { unwrapArguments } from '@kernel/protocol';

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns argument text in canonical form: unwrapped, keys sorted, no white space, and without the fields of some names at any depth. Text that
 * is not valid JSON is only trimmed.
 */
export function canonicalArguments(text: string, ignored: ReadonlySet<string> = NONE): string {
  try {
    const json = unwrapArguments(text);
    if (ignored.size === 0) return canonicalJson(JSON.parse(json));
    return canonicalJson(
      JSON.parse(json, function keep(this: unknown, key: string, value: unknown) {
        return ignored.has(key) && !Array.isArray(this) ? undefined : value;
      }),
    );
  } catch {
    return text.trim();
  }
}
