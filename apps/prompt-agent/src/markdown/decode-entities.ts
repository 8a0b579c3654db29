const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
};

/** Replaces the entities of HTML that models write in Markdown; any other one stays as it is. */
export function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
