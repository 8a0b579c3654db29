import { readCallObjects } from '../json-text.ts';
import { jsonThen } from '../end-finders.ts';
import type { CallParser, TextFormat } from '../format.ts';
import { callsJson, promptWith, plainResult } from '../prompts.ts';
import { taggedJson } from './hermes.ts';

const MARK = '<|tool_call|>';
const PLAIN = '<tool_call>[';

export const graniteCalls: CallParser = {
  open: MARK,
  createFinder: jsonThen(MARK, ''),
  parse: (text) => readCallObjects(text.slice(MARK.length)),
};

/** Granite 3.2 writes the mark as plain text and does not close it. */
const plainCalls: CallParser = {
  open: PLAIN,
  createFinder: () => jsonThen(PLAIN.slice(0, -1), '')(),
  parse: (text) => readCallObjects(text.slice(PLAIN.length - 1)),
};

/** Granite 3 and 4. */
export const granite: TextFormat = {
  name: 'granite',
  prompt: promptWith(
    `To call some, answer with ${MARK} and one JSON list:\n${MARK}[{"name": <function-name>, "arguments": <args-json-object>}]`,
  ),
  calls: (calls) => `${MARK}${callsJson(calls)}`,
  result: ({ name, text }) => `<|tool_response|>${plainResult(name)}: ${plainResult(text)}`,
  parsers: [graniteCalls, plainCalls, taggedJson],
  layout: ['</tool_call>', '<|end_of_text|>'],
};
