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

/** The words of a pattern: what is between spaces that are not escaped. */
export function splitWords(pattern: string): readonly string[] {
  return splitUnescaped(pattern, /\s/).filter((word) => word !== '');
}

/** Splits a pattern at a character that is not escaped with `\`. */
export function splitUnescaped(text: string, separator: RegExp): readonly string[] {
  const parts = [''];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (separator.test(char)) parts.push('');
    else {
      parts[parts.length - 1] += char;
      if (char === '\\') {
        at += 1;
        parts[parts.length - 1] += text[at] ?? '';
      }
    }
  }
  return parts;
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
