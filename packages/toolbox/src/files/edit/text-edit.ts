const MAX_SHOWN = 10;

/** One replacement that a model asked for. */
export interface TextEdit {
  /** The text to replace. */
  readonly old_text: string;
  /** What takes its place. */
  readonly new_text: string;
  /** Whether every occurrence is replaced. */
  readonly replace_all?: boolean;
}

/** The number of the line in which a place is, from 1. */
export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** `line 3`, `lines 3, 9 and 2 more`. */
export function lineList(text: string, places: readonly { readonly start: number }[]): string {
  const lines = places.slice(0, MAX_SHOWN).map(({ start }) => lineAt(text, start));
  const rest = places.length - lines.length;
  return `${places.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A text with one kind of line endings. */
export function toEnding(text: string, ending: '\n' | '\r\n'): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\n', ending);
}
