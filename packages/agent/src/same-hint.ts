/** One hint for several names that other libraries have. */
export function sameHint(names: readonly string[], hint: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, hint]));
}
