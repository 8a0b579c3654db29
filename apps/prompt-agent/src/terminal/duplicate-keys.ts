/** Returns the keys that an object of a JSON text has twice, at any depth. The text need not be valid. Takes linear time. */
export function duplicateKeys(json: string): readonly string[] {
  const open: Set<string>[] = [];
  const found = new Set<string>();
  let at = 0;
  while (at < json.length) {
    const character = json[at];
    if (character === '{' || character === '[') open.push(new Set());
    else if (character === '}' || character === ']') open.pop();
    if (character !== '"') {
      at += 1;
      continue;
    }
    const end = endOfString(json, at);
    if (isBeforeColon(json, end)) {
      const key = decode(json.slice(at, end));
      if (open.at(-1)?.has(key) === true) found.add(key);
      open.at(-1)?.add(key);
    }
    at = end;
  }
  return [...found];
}

/** The offset after the string that begins at a quotation mark; the end of the text if it is not closed. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, json.length);
}

function isBeforeColon(json: string, from: number): boolean {
  let at = from;
  while (at < json.length && ' \t\r\n'.includes(json[at] ?? '')) at += 1;
  return json[at] === ':';
}

/** A key with its escapes resolved: `"a"` and `"\u0061"` are the same one. */
function decode(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
