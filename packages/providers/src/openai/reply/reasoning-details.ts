import type { JsonValue } from '@kernel/protocol';
import { asFields, asList, asText, type Fields } from '../../json-fields.ts';

const JOINED_FIELDS = new Set(['text', 'summary', 'data']);

/** OpenRouter's `reasoning_details` arrive in pieces and are sent back complete. Pieces with the same type, index and id are one detail. */
export function createReasoningDetails() {
  const details = new Map<string, Map<string, unknown>>();
  return {
    add(chunk: unknown) {
      let text = '';
      for (const entry of asList(chunk)) {
        const detail = asFields(entry);
        if (detail === undefined) continue;
        text += asText(detail['text']) ?? asText(detail['summary']) ?? '';
        const key = JSON.stringify([detail['type'], detail['index'] ?? detail['id'] ?? details.size]);
        mergeDetail(details, key, detail);
      }
      return text;
    },
    complete() {
      if (details.size === 0) return undefined;
      const list: unknown = [...details.values()].map((each) => Object.fromEntries(each));
      // JSON.parse returned the values, so they are JSON.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return list as JsonValue;
    },
  };
}

export type ReasoningDetails = ReturnType<typeof createReasoningDetails>;

function mergeDetail(details: Map<string, Map<string, unknown>>, key: string, detail: Fields): void {
  const merged = details.get(key) ?? new Map<string, unknown>();
  for (const [name, value] of Object.entries(detail)) {
    const before = merged.get(name);
    if (JOINED_FIELDS.has(name) && typeof before === 'string' && typeof value === 'string')
      merged.set(name, before + value);
    else if (value !== null || before === undefined) merged.set(name, value);
  }
  details.set(key, merged);
}
