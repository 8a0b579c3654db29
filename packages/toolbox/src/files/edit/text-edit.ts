const MAX_SHOWN = 10;

export interface TextEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

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

export function toEnding(text: string, ending: '\n' | '\r\n'): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\n', ending);
}
