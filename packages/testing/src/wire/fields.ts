/** A JSON object from outside. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; nothing for `null`, arrays and the rest. */
export function asFields(value: unknown): Fields | undefined {
  // Every object has string keys; what stands behind them stays unknown.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
