import { canonicalJson } from '@kernel/internal';
import { findJsonLoss, unwrapArguments } from '@kernel/protocol';

/**
 * Returns argument text in canonical form: unwrapped, keys sorted, no white space. Text that is not valid JSON, or that `JSON.parse` would
 * change, is only trimmed.
 */
export function canonicalArguments(text: string): string {
  try {
    const json = unwrapArguments(text);
    const value: unknown = JSON.parse(json);
    return findJsonLoss(json, value, true) === undefined ? canonicalJson(value) : text.trim();
  } catch {
    return text.trim();
  }
}
