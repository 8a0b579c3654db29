/** Any value that JSON text can hold. Readonly, because data that crosses a port is never changed. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Its keys may come from a model: read them as own properties only. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema (2020-12 or draft-07) as plain data. The type is loose on purpose: keywords are checked when a tool is defined. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
