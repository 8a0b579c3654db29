import { readCallObjects } from '../json-text.ts';
import { jsonThen } from '../end-finders.ts';
import type { CallParser, TextFormat } from '../format.ts';
import { callJson, promptWith, resultJson } from '../prompts.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

export const taggedJson: CallParser = {
  open: OPEN,
  createFinder: jsonThen(OPEN, CLOSE),
  parse: (text) => readCallObjects(text.slice(OPEN.length, -CLOSE.length)),
};

/** Hermes, Qwen 2.5, Qwen 3 and many fine-tunes. */
export const hermes: TextFormat = {
  name: 'hermes',
  prompt: promptWith(
    `To call one, answer with a JSON object inside ${OPEN}${CLOSE} tags, one pair of tags for each call:\n` +
      `${OPEN}\n{"name": <function-name>, "arguments": <args-json-object>}\n${CLOSE}`,
  ),
  calls: (calls) => calls.map((call) => `${OPEN}\n${callJson(call)}\n${CLOSE}`).join('\n'),
  result: (result) => `<tool_response>\n${resultJson(result)}\n</tool_response>`,
  parsers: [taggedJson],
};
