import { canonicalJson } from '@kernel/internal';
import { unwrapArguments } from '@kernel/protocol';

/** Returns argument text in canonical form: unwrapped, keys sorted, no white space. Text that is not valid JSON is only trimmed. */
export function canonicalArguments(text: string): string {
  try {
    return canonicalJson(JSON.parse(unwrapArguments(text)));
  } catch {
    return text.trim();
  }
}
