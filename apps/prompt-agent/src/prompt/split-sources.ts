/** Splits a list of paths and URLs at its commas, but for those of a `data:` URL: at the commas after the last `;base64`. Empty entries are left out. */
export function splitSources(list: string): readonly string[] {
  const from = list.lastIndexOf(';base64') + 1;
  const [first = '', ...rest] = list.slice(from).split(',');
  return [list.slice(0, from) + first, ...rest].map((source) => source.trim()).filter(Boolean);
}
