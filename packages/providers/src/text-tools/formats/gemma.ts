import { untilMark } from '../end-finders.ts';
import type { CallParser, TextFormat } from '../format.ts';
import { promptWith, fencedResult } from '../prompts.ts';
import { readPythonCalls } from '../python-literal.ts';
import { pythonCall } from './llama.ts';

const OPEN = '```tool_code\n';
const CLOSE = '\n```';

export const toolCode: CallParser = {
  open: OPEN,
  lineStart: true,
  createFinder: untilMark(OPEN, CLOSE, () => true),
  parse: (text) => readPythonCalls(text.slice(OPEN.length, -CLOSE.length)),
};

/** Gemma 2 and 3, when shown how: a code fence of Python calls. */
export const gemma: TextFormat = {
  name: 'gemma',
  prompt: promptWith(
    `To call some, answer with a code fence in this form, one call per line:\n${OPEN}function_name(parameter="value", other=1)${CLOSE}`,
  ),
  calls: (calls) => `${OPEN}${calls.map((call) => pythonCall(call.name, call.arguments)).join('\n')}${CLOSE}`,
  result: ({ text }) => fencedResult('tool_output', text),
  parsers: [toolCode],
};
