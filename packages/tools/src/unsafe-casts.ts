import type { JsonValue } from '@kernel/protocol';

/** A validated input, or a context of the caller, as the type that the tool's own functions declare. */
export function asDeclared(value: unknown): never {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema, or the caller's types, are the proof
  return value as never;
}

/** A value that was parsed from JSON text. */
export function asJson(parsed: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return parsed as JsonValue;
}
