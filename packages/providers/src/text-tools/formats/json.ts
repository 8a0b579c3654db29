import { readCallObjects } from '../json-text.ts';
import { jsonLine, jsonThen, lineEnd } from '../end-finders.ts';
import type { CallParser, TextFormat } from '../format.ts';
import { callJson, promptWith, resultJson } from '../prompts.ts';

const lineParsers: readonly CallParser[] = ['{', '['].map((open) => ({
  open,
  lineStart: true,
  createFinder: jsonLine('{[;<'),
  parse: (text) => readCallObjects(text, true),
}));

/** JSON in a fence, whose first line may end in blanks. */
function fencedJson(open: string): CallParser {
  return {
    open,
    lineStart: true,
    createFinder() {
      const find = jsonThen(open, '```')();
      return (text, atEnd) => {
        const head = lineEnd(text, open.length, atEnd, '');
        return head === undefined || head < 0 ? head : find(text, atEnd);
      };
    },
    parse: (text) => readCallObjects(text.slice(open.length, -3), true),
  };
}

const fenceParsers: readonly CallParser[] = ['```json', '```tool_call', '```'].map(fencedJson);

export const plainJson: readonly CallParser[] = [...fenceParsers, ...lineParsers];

/** The format for models that have none of their own; it also fits a grammar of `toGbnf`. */
export const json: TextFormat = {
  name: 'json',
  prompt: promptWith(
    'To call one, answer with nothing but a JSON object in this form, one line for each call:\n' +
      '{"name": <function-name>, "arguments": <args-json-object>}',
  ),
  calls: (calls) => calls.map((call) => callJson(call)).join('\n'),
  result: resultJson,
  parsers: plainJson,
};
