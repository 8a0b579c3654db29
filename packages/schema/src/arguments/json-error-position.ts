type Expected = 'value' | 'key' | 'key-or-end' | 'value-or-end' | 'colon' | 'comma-or-end' | 'nothing';

interface Token {
  readonly kind: '{' | '}' | '[' | ']' | ':' | ',' | 'string' | 'scalar';
  readonly start: number;
  readonly end: number;
}

/** The first unexpected token, or the end of a text that ends too early. Linear, and without recursion, so nesting can be of any depth. */
export function jsonErrorPosition(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    const token = nextToken(text, at);
    if (typeof token === 'number') return token;
    const next = expectedAfter(token, expected, open);
    if (next === undefined) return token.start;
    expected = next;
    at = token.end;
  }
}

/** Returns undefined for a token that may not stand there. */
function expectedAfter(token: Token, expected: Expected, open: ('{' | '[')[]): Expected | undefined {
  const inner = (): Expected => (open.length === 0 ? 'nothing' : 'comma-or-end');
  switch (token.kind) {
    case ':':
      return expected === 'colon' ? 'value' : undefined;
    case ',':
      if (expected !== 'comma-or-end') return undefined;
      return open.at(-1) === '{' ? 'key' : 'value';
    case '}':
    case ']': {
      const ends = expected === 'comma-or-end' || expected === (token.kind === '}' ? 'key-or-end' : 'value-or-end');
      if (!ends || open.at(-1) !== (token.kind === '}' ? '{' : '[')) return undefined;
      open.pop();
      return inner();
    }
    case 'string':
      if (expected === 'key' || expected === 'key-or-end') return 'colon';
      return expectsValue(expected) ? inner() : undefined;
    case '{':
    case '[':
      if (!expectsValue(expected)) return undefined;
      open.push(token.kind);
      return token.kind === '{' ? 'key-or-end' : 'value-or-end';
    case 'scalar':
      return expectsValue(expected) ? inner() : undefined;
    default:
      return token.kind satisfies never;
  }
}

function expectsValue(expected: Expected): boolean {
  return expected === 'value' || expected === 'value-or-end';
}

const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const INCOMPLETE = /^(?:-|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/;

/** Returns the position of the error if there is no valid token. */
function nextToken(text: string, from: number): Token | number {
  let start = from;
  while (start < text.length && ' \t\n\r'.includes(text[start] ?? 'x')) start += 1;
  const char = text[start];
  switch (char) {
    case undefined:
      return text.length;
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',':
      return { kind: char, start, end: start + 1 };
    case '"':
      return stringToken(text, start);
    default: {
      SCALAR.lastIndex = start;
      if (SCALAR.test(text)) return { kind: 'scalar', start, end: SCALAR.lastIndex };
      return INCOMPLETE.test(text.slice(start, start + 6)) ? text.length : start;
    }
  }
}

function stringToken(text: string, start: number): Token | number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return { kind: 'string', start, end: index + 1 };
    if (code < 0x20) return index;
    if (code !== 0x5c) continue;
    const escape = text[index + 1];
    if (escape === undefined) return text.length;
    if (!'"\\/bfnrtu'.includes(escape)) return index;
    if (escape === 'u' && !/^[0-9a-fA-F]{0,4}$/.test(text.slice(index + 2, index + 6))) return index;
    index += 1;
  }
  return text.length;
}
