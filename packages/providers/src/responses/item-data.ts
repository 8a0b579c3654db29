import type { JsonValue } from '@kernel/protocol';
import { asFields, asList, asText, type Fields, toJson } from '../json-fields.ts';

export function reasoningOf(item: Fields): string {
  return [...asList(item['summary']), ...asList(item['content'])]
    .map((part) => asText(asFields(part)?.['text']) ?? '')
    .join('');
}

/** Without the status, which is output only. */
export function toReasoningData(item: Fields): JsonValue {
  const { status: _, ...rest } = item;
  return toJson(rest);
}

/** Those that only the vendor understands, such as its namespace. */
export function toCallData(item: Fields): JsonValue | undefined {
  const { type: _type, id: _id, call_id: _callId, name: _name, arguments: _text, status: _status, ...rest } = item;
  const own = Object.entries(rest).filter(([, value]) => value !== null);
  return own.length === 0 ? undefined : { item: toJson(Object.fromEntries(own)) };
}
