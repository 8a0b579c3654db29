import type { JsonValue } from '@kernel/protocol';
import type { TextCall } from './format.ts';
import { bracketed, createLiteralReader, MAX_DEPTH } from './literal-reader.ts';

const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
]);

/** Separated by commas or line ends. Undefined if the text contains anything else. */
export function readPythonCalls(text: string): readonly TextCall[] | undefined {
  const reader = createReader(text);
  const calls: TextCall[] = [];
  reader.space();
  while (!reader.done()) {
    const call = reader.call();
    if (call === undefined) return undefined;
    calls.push(call);
    reader.space();
    if (reader.take(/[,;]/y) !== undefined) reader.space();
  }
  return calls.length === 0 ? undefined : calls;
}

function createReader(text: string) {
  const reader = createLiteralReader(text);
  const { list, nested, space, take } = reader;

  function call(): TextCall | undefined {
    const name = take(/[A-Za-z_][\w.-]*/y);
    if (name === undefined) return undefined;
    space();
    if (take(/\(/y) === undefined) return undefined;
    // Some models write print(tool(…)) to show a result.
    if (name === 'print') {
      space();
      const inner = nested(call);
      space();
      return inner !== undefined && take(/\)/y) !== undefined ? inner : undefined;
    }
    const members = list(/\)/y, () => {
      const key = take(/[A-Za-z_]\w*/y);
      space();
      if (key === undefined || take(/=/y) === undefined) return undefined;
      const item = value();
      return item === undefined ? undefined : `${JSON.stringify(key)}:${item}`;
    });
    return members === undefined ? undefined : { name, arguments: `{${members}}` };
  }

  function value(): string | undefined {
    space();
    const { at } = reader;
    const end = endOfQuoted(text, at);
    if (end !== undefined) {
      const decoded = decodePythonEscapes(text.slice(at + 1, end - 1));
      reader.at = end;
      return decoded === undefined ? undefined : JSON.stringify(decoded);
    }
    const number = take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y);
    if (number !== undefined) return number;
    const word = take(/[A-Za-z]+/y);
    if (word !== undefined) return KEYWORDS.get(word);
    if (take(/\[/y) !== undefined) return bracketed('[', list(/\]/y, value), ']');
    if (take(/\(/y) !== undefined) return bracketed('[', list(/\)/y, value), ']');
    return take(/\{/y) === undefined ? undefined : bracketed('{', list(/\}/y, member), '}');
  }

  function member(): string | undefined {
    const key = value();
    space();
    if (key?.startsWith('"') !== true || take(/:/y) === undefined) return undefined;
    const item = value();
    return item === undefined ? undefined : `${key}:${item}`;
  }

  return { done: () => reader.at >= text.length, space, take, call };
}

/** Returns undefined if no string begins there, or if its line ends first. */
function endOfQuoted(text: string, from: number): number | undefined {
  const quote = text[from];
  if (quote !== '"' && quote !== "'") return undefined;
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === quote) return at + 1;
    if (character === '\n') return undefined;
    if (character === '\\') at += 1;
  }
  return undefined;
}

/** Returns undefined for a value that is nested too deeply to be read back. */
export function toPython(value: JsonValue): string | undefined {
  return isTooDeep(value) ? undefined : write(value);
}

function isTooDeep(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values<JsonValue>(each) : []));
  }
  return false;
}

function write(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(write).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${write(item)}`)
    .join(', ')}}`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['a', '\u0007'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
]);

const ESCAPE = /\\(?:U([\da-fA-F]{8})|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([0-7]{1,3})|([\s\S]))/g;

const LAST_CODE_POINT = 0x10_ffff;

// https://docs.python.org/3/reference/lexical_analysis.html#escape-sequences. An escape that Python does not know, or whose digits are missing
// (`C:\Users`), stays as it is written. Undefined for a character by its name (`\N{BULLET}`) and for a code beyond Unicode.
export function decodePythonEscapes(text: string): string | undefined {
  let isUnknown = false;
  const decoded = text.replaceAll(ESCAPE, (...match: readonly unknown[]) => {
    const [whole, eight, four, two, octal, one, at] = match;
    const hex = eight ?? four ?? two;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number.parseInt(String(octal), 8);
    if (code > LAST_CODE_POINT) isUnknown = true;
    else if (!Number.isNaN(code)) return String.fromCodePoint(code);
    else if (one === 'N' && typeof at === 'number' && text[at + 2] === '{') isUnknown = true;
    return LETTERS.get(String(one)) ?? String(whole);
  });
  return isUnknown ? undefined : decoded;
}
