/** The deepest level that is indented: without a bound, a deeply nested text would grow with the square of its depth. */
const MAX_LEVEL = 20;
const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+)/gy;

/**
 * Indents JSON by two spaces and leaves its tokens as they are written: numbers keep their digits and keys their order, so that what is shown is what
 * the text says. Only escapes in strings are resolved. Returns text that is not valid JSON unchanged.
 */
export function indentJson(json: string): string {
  try {
    JSON.parse(json);
  } catch {
    return json;
  }
  let level = 0;
  let before = '';
  let lines = '';
  const newLine = (): string => `\n${'  '.repeat(Math.min(level, MAX_LEVEL))}`;
  for (const [, token = ''] of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') {
      level -= 1;
      lines += before === '{' || before === '[' ? token : newLine() + token;
    } else {
      if (before === '{' || before === '[' || before === ',') lines += newLine();
      lines += token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token === ':' ? ': ' : token;
      if (token === '{' || token === '[') level += 1;
    }
    before = token;
  }
  return lines;
}
