/** Line breaks of a text in their order, each with how many lines it ends: `[['\r\n', 3], ['', 1]]`. */
export type LineBreaks = readonly (readonly [text: string, count: number])[];

/** Returns the lines of a text without their line breaks. A line break at the end begins no further line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Returns the line breaks of a text: as many as `linesOf` has lines. */
export function lineBreaksOf(text: string): LineBreaks {
  const breaks: [string, number][] = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const end = (line.endsWith('\r') ? '\r' : '') + (at === lines.length - 1 ? '' : '\n');
    if (line === '' && end === '') continue;
    const last = breaks.at(-1);
    if (last?.[0] === end) last[1] += 1;
    else breaks.push([end, 1]);
  }
  return breaks;
}

/** Joins lines and their breaks; undefined if there are not as many. */
export function withLineBreaks(lines: readonly string[], breaks: LineBreaks): string | undefined {
  const out: string[] = [];
  let at = 0;
  for (const [end, count] of breaks) {
    if (at + count > lines.length) return undefined;
    for (const stop = at + count; at < stop; at += 1) out.push(lines[at] ?? '', end);
  }
  return at === lines.length ? out.join('') : undefined;
}

/** Joins lines with the line breaks that another text has. */
export function withBreaksOf(before: string | undefined, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const ending = before?.includes('\r\n') === true ? '\r\n' : '\n';
  const hasEnd = before === undefined || before === '' || before.endsWith('\n');
  return lines.join(ending) + (hasEnd ? ending : '');
}

/** Decodes UTF-8 with its byte order mark, if it has one. Throws for other bytes. */
export function decodeExactly(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
