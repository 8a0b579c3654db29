/** Whether a text matches a pattern, in which `*` matches any characters and `\` escapes the next one. Takes linear time. */
export function matchWildcard(pattern: string, text: string): boolean {
  const parts = splitAtStars(pattern);
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** The literal text before the first `*`; the whole text if there is none. */
export function literalPrefix(pattern: string): string {
  return splitAtStars(pattern)[0] ?? '';
}

/** Takes the meaning of every special character of a pattern away. */
export function escapeWildcards(text: string): string {
  return text.replace(/[\\*|\s]/g, String.raw`\$&`);
}

function splitAtStars(pattern: string): string[] {
  const parts = [''];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? '';
    if (char === '*') {
      parts.push('');
      continue;
    }
    if (char === '\\') at += 1;
    parts[parts.length - 1] += char === '\\' ? (pattern[at] ?? '') : char;
  }
  return parts;
}
