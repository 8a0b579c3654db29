import { isObject } from '@kernel/internal';

/** A member of a JSON object: its key, and its value as it is written, without white space around it. */
export interface JsonMember {
  readonly key: string;
  /** The JSON text of the value, with its digits and the order of its keys. */
  readonly json: string;
}

/** The tokens of valid JSON, as they are written. A regular expression would need a stack as deep as a text is long. */
function* tokensOf(json: string): Generator<string, void> {
  let at = 0;
  while (at < json.length) {
    const start = at;
    const first = json[at] ?? '';
    at = first === '"' ? endOfText(json, at) : at + 1;
    if (isSpace(first)) continue;
    if (first !== '"' && !isMark(first)) while (at < json.length && !isSpace(json[at]) && !isMark(json[at])) at += 1;
    yield json.slice(start, at);
  }
}

function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isSpace(character = ''): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

function isMark(character = ''): boolean {
  return '{}[],:"'.includes(character);
}

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
  for (const token of tokensOf(json)) {
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
  for (const token of tokensOf(json)) {
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
