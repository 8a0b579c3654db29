import { canonicalJson } from '@kernel/internal';

/** Returns argument text in canonical form: keys sorted, no white space. Text that is not valid JSON is only trimmed. */
export function canonicalArguments(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text.trim();
  }
}
