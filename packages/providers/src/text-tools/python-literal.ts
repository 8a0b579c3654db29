import type { JsonValue } from '@kernel/protocol';
import { decodePythonEscapes } from './python-escapes.ts';

/** A call with keyword arguments in Python syntax. */
export interface PythonCall {
  /** The name of the function. */
  readonly name: string;
  /** The JSON text of an object. Numbers are kept as they were written. */
  readonly arguments: string;
}

const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
]);

/** Reads calls separated by commas or line ends up to the end of the text; undefined if it contains anything else. */
export function readPythonCalls(text: string): readonly PythonCall[] | undefined {
  const reader = createReader(text);
  const calls: PythonCall[] = [];
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

interface Reader {
  done(): boolean;
  space(): void;
  take(pattern: RegExp): string | undefined;
  call(): PythonCall | undefined;
}

/** Deeper than any arguments of a real tool, and far less deep than the stack allows. */
const MAX_DEPTH = 200;

function createReader(text: string): Reader {
  let at = 0;
  let depth = 0;

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(text)?.[0];
    if (match !== undefined) at += match.length;
    return match;
  }
  const space = (): void => void take(/\s*/y);

  function call(): PythonCall | undefined {
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
    return members === undefined ? undefined : { name, arguments: `{${members.join(',')}}` };
  }

  /** Reads what is inside brackets; undefined where they are nested too deeply. */
  function nested<T>(read: () => T | undefined): T | undefined {
    if (depth === MAX_DEPTH) return undefined;
    depth += 1;
    const inner = read();
    depth -= 1;
    return inner;
  }

  /** Reads items up to the closing bracket; a comma may follow the last. */
  function list(close: RegExp, item: () => string | undefined): readonly string[] | undefined {
    const items: string[] = [];
    for (;;) {
      space();
      if (take(close) !== undefined) return items;
      const next = item();
      if (next === undefined) return undefined;
      items.push(next);
      space();
      if (take(/,/y) !== undefined) continue;
      return take(close) === undefined ? undefined : items;
    }
  }

  /** Reads one literal as JSON text. */
  function value(): string | undefined {
    space();
    const end = endOfQuoted(text, at);
    if (end !== undefined) {
      const decoded = decodePythonEscapes(text.slice(at + 1, end - 1));
      at = end;
      return decoded === undefined ? undefined : JSON.stringify(decoded);
    }
    const number = take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y);
    if (number !== undefined) return number;
    const word = take(/[A-Za-z]+/y);
    if (word !== undefined) return KEYWORDS.get(word);
    if (take(/\[/y) !== undefined)
      return wrap(
        '[',
        nested(() => list(/\]/y, value)),
        ']',
      );
    if (take(/\(/y) !== undefined)
      return wrap(
        '[',
        nested(() => list(/\)/y, value)),
        ']',
      );
    if (take(/\{/y) === undefined) return undefined;
    return wrap(
      '{',
      nested(() => list(/\}/y, member)),
      '}',
    );
  }

  function member(): string | undefined {
    const key = value();
    space();
    if (key?.startsWith('"') !== true || take(/:/y) === undefined) return undefined;
    const item = value();
    return item === undefined ? undefined : `${key}:${item}`;
  }

  return { done: () => at >= text.length, space, take, call };
}

/** The index after the quoted string that begins at `from`; undefined if none does, or if its line ends first. */
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

function wrap(open: string, items: readonly string[] | undefined, close: string): string | undefined {
  return items === undefined ? undefined : open + items.join(',') + close;
}

/** Writes a JSON value as a Python literal; undefined for one that is nested too deeply to be read back. */
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
