import { isObject } from '@kernel/internal';

/** A member of a JSON object: its key, and its value as it is written, without white space around it. */
export interface JsonMember {
  readonly key: string;
  /** The JSON text of the value, with its digits and the order of its keys. */
  readonly json: string;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+)/gy;

/** Returns the members of a JSON object, in order; undefined for text that is not one. Takes linear time. */
export function parseJsonMembers(json: string): readonly JsonMember[] | undefined {
  try {
    if (!isObject(JSON.parse(json))) return undefined;
  } catch {
    return undefined;
  }
  const members: JsonMember[] = [];
  let depth = 0;
  let key: string | undefined;
  let value: string[] = [];
  for (const [, token = ''] of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0 || (depth === 1 && token === ',')) {
      if (key !== undefined) members.push({ key: String(JSON.parse(key)), json: value.join('') });
      key = undefined;
      value = [];
    } else if (key === undefined) key = token;
    else if (depth > 1 || token !== ':') value.push(token);
    if (token === '{' || token === '[') depth += 1;
  }
  return members;
}

/** The deepest level that is indented: without a bound, a deeply nested text would grow with the square of its depth. */
const MAX_LEVEL = 20;

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
