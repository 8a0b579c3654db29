import type { JsonValue } from '@kernel/protocol';
import { jsonLine, jsonThen, lineEnd } from '../end-finders.ts';
import type { CallParser, MarkupEndFinder, TextFormat } from '../format.ts';
import { asFields, parseJson } from '../../json-fields.ts';
import { callJson, promptWith, resultJson } from '../prompts.ts';
import { readPythonCalls, toPython } from '../python-literal.ts';
import { createJsonEnd, jsonMembers, readCallObjects } from '../json-text.ts';

const TAG = '<|python_tag|>';
const LAYOUT = [';', '<|eom_id|>', '<|eot_id|>'];

/** A call object on a line of its own, or at the beginning of a line if its arguments are `parameters`. */
const objectLine: CallParser = {
  open: '{',
  lineStart: true,
  createFinder() {
    const find = jsonLine('{;<')();
    return (text, atEnd) => {
      const end = find(text, atEnd);
      return end !== undefined && end < -1 && hasParameters(text.slice(0, -end)) ? -end : end;
    };
  },
  parse: (text) => readCallObjects(text, true),
};

/** A call object with `parameters` between the words of a line. */
const objectInLine: CallParser = {
  open: '{',
  createFinder() {
    const json = createJsonEnd(0);
    return (text) => {
      const isCall = beginsCallObject(text);
      if (isCall !== true) return isCall === false ? -1 : undefined;
      const end = json.find(text);
      return end === undefined || hasParameters(text.slice(0, end)) ? end : -end;
    };
  },
  parse: (text) => readCallObjects(text, true),
};

/** `{`, and the first key as far as it can be that of a call object. */
const OBJECT_START = /^\{\s{0,32}(?:$|"(?:$|(\w{1,12})(?:$|")))/;
const FIRST_KEYS = new Set(['name', 'parameters', 'type', 'id']);

/** Returns undefined while more text is needed to tell. */
function beginsCallObject(text: string): boolean | undefined {
  const match = OBJECT_START.exec(text.slice(0, 64));
  if (match === null) return false;
  return match[0].endsWith('"') && match[1] !== undefined ? FIRST_KEYS.has(match[1]) : undefined;
}

function hasParameters(text: string): boolean {
  return readCallObjects(text, true) !== undefined && jsonMembers(text).has('parameters');
}

/** Some Llama 3 models write the mark before calls. */
export const taggedObject: CallParser = {
  open: TAG,
  createFinder: jsonThen(TAG, ''),
  parse: (text) => readCallObjects(text.slice(TAG.length)),
};

export const pythonList: CallParser = {
  open: '[',
  lineStart: true,
  createFinder: findPythonList,
  parse: (text) => readPythonCalls(text.slice(1, -1)),
};

// Llama 3.1 and 3.3. Models write calls on lines of their own or between words; objects with `arguments`, which occur in explanations, count on lines
// of their own only: https://github.com/vllm-project/vllm/blob/main/tests/tool_parsers/test_llama3_json_tool_parser.py.
export const llama3Json: TextFormat = {
  name: 'llama3-json',
  prompt: promptWith(
    'To call one, answer with nothing but a JSON object in this form, one line for each call:\n' +
      '{"name": <function-name>, "parameters": <args-json-object>}',
  ),
  calls: (calls) => calls.map((call) => callJson(call, 'parameters')).join('; '),
  result: resultJson,
  parsers: [taggedObject, objectLine, objectInLine],
  layout: LAYOUT,
};

/** Llama 3.2 and Llama 4. */
export const llama3Pythonic: TextFormat = {
  name: 'llama3-pythonic',
  prompt: promptWith(
    'To call some, answer with nothing but a list in this form, on one line:\n' +
      '[function_name(parameter="value", other=1), other_function()]',
  ),
  calls: (calls) => `[${calls.map((call) => pythonCall(call.name, call.arguments)).join(', ')}]`,
  result: resultJson,
  parsers: [taggedObject, pythonList],
  layout: LAYOUT,
};

export function pythonCall(name: string, json: string): string {
  const members = [...jsonMembers(json)];
  const plain = asFields(parseJson(json)) !== undefined && members.every(([key]) => /^[A-Za-z_]\w*$/.test(key));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed JSON is a JSON value
  const values = plain ? members.map(([, text]) => toPython(parseJson(text) as JsonValue)) : [undefined];
  if (values.includes(undefined)) return `${name}(arguments=${JSON.stringify(json)})`;
  return `${name}(${members.map(([key], at) => `${key}=${values[at]}`).join(', ')})`;
}

/** Finds the end by counting brackets outside of Python strings. */
function findPythonList(): MarkupEndFinder {
  let at = 0;
  let depth = 0;
  let quote = '';
  let end: number | undefined;
  return (text, atEnd) => {
    if (at < 300 && !/^\[\s*(?:$|[A-Za-z_][\w.-]*(?:$|\s*(?:$|\()))/.test(text.slice(0, 300))) return -1;
    for (; end === undefined && at < text.length; at += 1) {
      const character = text.charAt(at);
      if (quote !== '') {
        if (character === '\\') at += 1;
        else if (character === quote) quote = '';
      } else if (character === '"' || character === "'") quote = character;
      else if ('[({'.includes(character)) depth += 1;
      else if ('])}'.includes(character)) {
        depth -= 1;
        if (depth === 0) end = at + 1;
      }
    }
    return end === undefined ? undefined : lineEnd(text, end, atEnd, '[;<');
  };
}
