import type { JsonValue } from '@kernel/protocol';
import { asFields, asList, asText, type Fields } from '../json-fields.ts';

const PIECED = new Set(['text', 'summary', 'data']);

/** Joins the `reasoning_details` of OpenRouter, which come in pieces and go back whole: signatures and encrypted thoughts. @internal */
export interface ReasoningDetails {
  /** Takes the details of a chunk; returns the text in them. */
  add(details: unknown): string;
  /** All of them so far, or nothing. */
  whole(): JsonValue | undefined;
}

/** Creates an empty list; pieces of one type, index and id are one detail. @internal */
export function createReasoningDetails(): ReasoningDetails {
  const found = new Map<string, Map<string, unknown>>();
  return {
    add(details) {
      let text = '';
      for (const entry of asList(details)) {
        const detail = asFields(entry);
        if (detail === undefined) continue;
        text += asText(detail['text']) ?? asText(detail['summary']) ?? '';
        const key = JSON.stringify([detail['type'], detail['index'] ?? detail['id'] ?? found.size]);
        join(found, key, detail);
      }
      return text;
    },
    whole() {
      // JSON.parse made the values, so they are JSON.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return found.size === 0 ? undefined : ([...found.values()].map((each) => Object.fromEntries(each)) as JsonValue);
    },
  };
}

function join(found: Map<string, Map<string, unknown>>, key: string, detail: Fields): void {
  const known = found.get(key) ?? new Map<string, unknown>();
  for (const [name, value] of Object.entries(detail)) {
    const before = known.get(name);
    if (PIECED.has(name) && typeof before === 'string' && typeof value === 'string') known.set(name, before + value);
    else if (value !== null || before === undefined) known.set(name, value);
  }
  found.set(key, known);
}
