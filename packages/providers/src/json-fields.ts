/** Reads JSON from outside field by field, without a schema library: one `typeof` a field. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; nothing for `null`, arrays and the rest. */
export function asFields(value: unknown): Fields | undefined {
  // Every object has string keys; what stands behind them stays unknown.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The value as a list; empty for anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text; nothing for anything else. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as a finite number; nothing for anything else. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The text parsed as JSON; nothing when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
