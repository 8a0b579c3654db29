import type { JsonValue } from '@kernel/protocol';

/** A value that has passed a tool's schema, as the type that the tool's own functions declare. */
export function asInput(checked: unknown): never {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is the proof, and types can't see it
  return checked as never;
}

/** A value that came out of JSON text. */
export function asJson(parsed: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse makes nothing else
  return parsed as JsonValue;
}
