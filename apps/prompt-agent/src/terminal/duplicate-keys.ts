/** Returns the keys that an object of a JSON text has twice, at any depth. The text need not be valid. Takes linear time. */
export function duplicateKeys(json: string): readonly string[] {
  const open: Set<string>[] = [];
  const found = new Set<string>();
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/gs)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const key = decode(token.slice(0, -1).trimEnd());
      if (open.at(-1)?.has(key) === true) found.add(key);
      open.at(-1)?.add(key);
    }
  }
  return [...found];
}

/** A key with its escapes resolved: `"a"` and `"\u0061"` are the same one. */
function decode(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
