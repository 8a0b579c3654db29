/** A row, as SQLite returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** The text in a column; empty if it has none. */
export function textIn(row: Row | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === 'string' ? value : '';
}

/** The number in a column; 0 if it has none. */
export function numberIn(row: Row | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === 'number' ? value : 0;
}

/** The JSON object in a column; empty if it has none, which a damaged row may cause. */
export function jsonIn(row: Row | undefined, column: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textIn(row, column));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
