import { asFields, parseJson } from '../json-fields.ts';
import { type JsonEnd, endOfString, jsonItems, jsonMembers } from './json-text.ts';
import { bracketed, createLiteralReader, MAX_DEPTH } from './literal-reader.ts';
import { tokenFreeJson } from './prompts.ts';

/** What stands at both ends of a string; nothing is escaped between them. */
const QUOTE = '<|"|>';
/** Examines each character once. */
export function createGemmaObjectEnd(from: number): JsonEnd {
  let at = from;
  let depth = 0;
  let quote = '';
  return {
    find(text) {
      while (at < text.length) {
        const character = text.charAt(at);
        if (quote === QUOTE) {
          const end = text.indexOf(QUOTE, at);
          if (end === -1) {
            at = Math.max(at, text.length - QUOTE.length + 1);
            return undefined;
          }
          at = end + QUOTE.length - 1;
          quote = '';
        } else if (quote !== '') {
          if (character === '\\') at += 1;
          else if (character === quote) quote = '';
        } else if (character === '<') {
          if (!text.startsWith(QUOTE, at)) return QUOTE.startsWith(text.slice(at)) ? undefined : -at;
          quote = QUOTE;
          at += QUOTE.length - 1;
        } else if (character === '"') quote = character;
        else if (character === '{' || character === '[') depth += 1;
        else if (character === '}' || character === ']') {
          depth -= 1;
          if (depth === 0) return at + 1;
        }
        at += 1;
      }
      return undefined;
    },
  };
}

// Strings stand between `<|"|>`, and keys have no quotes; numbers are kept as they were written. Strings may also be JSON strings, and a value without
// quotes that is neither a number nor a constant is text. Undefined for anything else.
export function readGemmaObject(text: string): string | undefined {
  const reader = createLiteralReader(text);
  const { list, space, take } = reader;

  function quoted(): string | undefined {
    const { at } = reader;
    if (!text.startsWith(QUOTE, at)) {
      const json = text.slice(at, endOfString(text, at));
      reader.at += json.length;
      return typeof parseJson(json) === 'string' ? json : undefined;
    }
    const end = text.indexOf(QUOTE, at + QUOTE.length);
    if (end === -1) return undefined;
    reader.at = end + QUOTE.length;
    return JSON.stringify(text.slice(at + QUOTE.length, end));
  }

  function bare(): string | undefined {
    const word = take(/[^,{}[\]<"\n]+/y)?.trim() ?? '';
    if (word === '') return undefined;
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) return word;
    const lower = word.toLowerCase();
    if (lower === 'true' || lower === 'false') return lower;
    return ['null', 'none', 'nil'].includes(lower) ? 'null' : JSON.stringify(word);
  }

  function member(): string | undefined {
    const name = take(/[^:,{}[\]<"\s]+/y);
    const key = name === undefined ? quoted() : JSON.stringify(name);
    space();
    if (key === undefined || take(/:/y) === undefined) return undefined;
    const item = value();
    return item === undefined ? undefined : `${key}:${item}`;
  }

  function value(): string | undefined {
    space();
    if (take(/\{/y) !== undefined) return bracketed('{', list(/\}/y, member), '}');
    if (take(/\[/y) !== undefined) return bracketed('[', list(/\]/y, value), ']');
    return '<"'.includes(text.charAt(reader.at) || ' ') ? quoted() : bare();
  }

  const object = text.startsWith('{') ? value() : undefined;
  return reader.at === text.length && asFields(parseJson(object ?? '')) !== undefined ? object : undefined;
}

/** An object that is nested too deeply to be read back becomes the text of an argument. */
export function writeGemmaObject(json: string): string {
  return write(json, 0) ?? `{arguments:${writeString(json)}}`;
}

function write(json: string, depth: number): string | undefined {
  const first = json[0];
  if (first === '"') return writeString(String(parseJson(json)));
  if (first !== '{' && first !== '[') return json;
  if (depth === MAX_DEPTH) return undefined;
  if (first === '[')
    return joined(
      '[',
      jsonItems(json).map((item) => write(item, depth + 1)),
      ']',
    );
  const members = [...jsonMembers(json)].map(([key, item]) => {
    const written = write(item, depth + 1);
    return written === undefined ? undefined : `${/^[\w-]+$/.test(key) ? key : writeString(key)}:${written}`;
  });
  return joined('{', members, '}');
}

function joined(open: string, items: readonly (string | undefined)[], close: string): string | undefined {
  return items.includes(undefined) ? undefined : `${open}${items.join(',')}${close}`;
}

/** A string that contains the quote itself is written as JSON, which can escape it. */
function writeString(text: string): string {
  return text.includes(QUOTE) ? tokenFreeJson(text) : `${QUOTE}${text}${QUOTE}`;
}
