import type { JsonValue } from '@kernel/protocol';

/** Parses JSON text. Throws what `JSON.parse` throws. */
export function parseJson(text: string): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse makes nothing else
  return JSON.parse(text) as JsonValue;
}
