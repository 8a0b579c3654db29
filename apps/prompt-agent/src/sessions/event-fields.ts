/** The fields of an event, as they were read: nothing is known of their types. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function listOf(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key];
  return Array.isArray(value) ? value : [];
}

export function textsOf(fields: Fields, key: string): readonly string[] {
  return listOf(fields, key).map(String);
}

export function textOf(fields: Fields | undefined, key: string): string {
  const value = fields?.[key];
  return typeof value === 'string' ? value : '';
}

export function numberOf(fields: Fields | undefined, key: string): number {
  const value = fields?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
