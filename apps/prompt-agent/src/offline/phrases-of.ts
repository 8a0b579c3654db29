import type { ToolPhrase } from '@kernel/offline';
import type { JsonObject } from '@kernel/protocol';

/** Several ways to ask for one call. */
export function phrases(input: JsonObject, texts: readonly string[]): readonly ToolPhrase[] {
  return texts.map((text) => ({ text, input }));
}
