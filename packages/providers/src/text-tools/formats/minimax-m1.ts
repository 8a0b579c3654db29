import { jsonValuesThen } from '../end-finders.ts';
import type { CallParser, TextCall, TextFormat } from '../format.ts';
import { createJsonEnd, skipSpace, readCallObjects } from '../json-text.ts';
import { callJson, promptWith, tokenFreeJson } from '../prompts.ts';

const OPEN = '<tool_calls>';
const CLOSE = '</tool_calls>';

export const minimaxM1Calls: CallParser = {
  open: OPEN,
  createFinder: jsonValuesThen(OPEN, CLOSE),
  parse: (text) => readObjects(text.slice(OPEN.length, -CLOSE.length).trim()),
};

/** https://github.com/MiniMax-AI/MiniMax-M1/blob/main/docs/function_call_guide.md */
export const minimaxM1: TextFormat = {
  name: 'minimax-m1',
  prompt: promptWith(
    `To call some, answer with ${OPEN}${CLOSE} tags around JSON objects in this form, one line for each call:\n` +
      `${OPEN}\n{"name": <function-name>, "arguments": <args-json-object>}\n${CLOSE}`,
  ),
  calls: (calls) => `${OPEN}\n${calls.map((call) => callJson(call)).join('\n')}\n${CLOSE}`,
  // A result has no end mark: as JSON it cannot hold the line with which another begins.
  result: ({ name, text }) => `tool name: ${tokenFreeJson(name).slice(1, -1)}\ntool result: ${tokenFreeJson(text)}`,
  parsers: [minimaxM1Calls],
  layout: ['<end_of_sentence>'],
};

function readObjects(text: string): readonly TextCall[] | undefined {
  const calls: TextCall[] = [];
  for (let at = 0; at < text.length; at = skipSpace(text, at)) {
    const end = createJsonEnd(at).find(text);
    const found = end === undefined || end < 0 ? undefined : readCallObjects(text.slice(at, end));
    if (end === undefined || found === undefined) return undefined;
    calls.push(...found);
    at = end;
  }
  return calls.length === 0 ? undefined : calls;
}
