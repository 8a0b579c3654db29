import type { JsonValue } from '@kernel/protocol';

/** A validated value, as the type that the tool's own functions declare. */
export function asInput(validated: unknown): never {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is the proof, which types cannot see
  return validated as never;
}

/** A value that was parsed from JSON text. */
export function asJson(parsed: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return parsed as JsonValue;
}
