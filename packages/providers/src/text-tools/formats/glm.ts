import type { Tool } from '@kernel/protocol';
import { untilMark } from '../end-finders.ts';
import type { CallParser, TextCall, TextFormat } from '../format.ts';
import { jsonMembers, skipSpace } from '../json-text.ts';
import { promptWith, plainResult } from '../prompts.ts';
import { endOfTaggedValue, taggedValue, taggedValueJson } from '../tagged-values.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const KEY = '<arg_key>';
const KEY_END = '</arg_key>';
const VALUE = '<arg_value>';
const VALUE_END = '</arg_value>';
const HEAD = /^\s{0,16}([^\s<>{}[\]"]{1,200})\s{0,16}/;
/** Longer than what `HEAD` matches and the mark that follows it. */
const MAX_HEAD_LENGTH = 256;

export const glmCall: CallParser = {
  open: OPEN,
  createFinder() {
    const find = untilMark(OPEN, CLOSE, (text) => isComplete(text.slice(OPEN.length, -CLOSE.length)))();
    return (text, atEnd) => {
      const isCall = beginsCall(text.slice(OPEN.length, OPEN.length + MAX_HEAD_LENGTH));
      return isCall === true ? find(text, atEnd) : isCall === false ? -1 : undefined;
    };
  },
  parse: (text, tools) => readCall(text.slice(OPEN.length, -CLOSE.length).trimEnd(), tools),
};

// GLM 4.5 to 5, with or without line feeds between the tags. Values are read by the tool's schema: text stays text. Documented by the chat template,
// https://github.com/ggml-org/llama.cpp/blob/master/models/templates/GLM-4.6.jinja, and the tests of a parser,
// https://github.com/vllm-project/vllm/blob/main/tests/tool_parsers/test_glm47_moe_tool_parser.py.
export const glm: TextFormat = {
  name: 'glm',
  prompt: promptWith(
    `To call one, answer in this form, one block for each call:\n${OPEN}<function-name>\n` +
      `${KEY}<parameter-name>${KEY_END}\n${VALUE}<value>${VALUE_END}\n${CLOSE}`,
  ),
  calls: (calls) => calls.map(writeCall).join('\n'),
  result: ({ text }) => `<tool_response>\n${plainResult(text)}\n</tool_response>`,
  parsers: [glmCall],
  layout: ['<|observation|>'],
};

/** Returns undefined while more text is needed to tell. */
function beginsCall(text: string): boolean | undefined {
  const head = HEAD.exec(text);
  if (head === null) return text.trim() === '' && text.length <= 16 ? undefined : false;
  const rest = text.slice(head[0].length);
  if (rest.startsWith(KEY) || rest.startsWith(CLOSE)) return true;
  return KEY.startsWith(rest) || CLOSE.startsWith(rest) ? undefined : false;
}

function isComplete(inner: string): boolean {
  return inner.trimEnd().endsWith(VALUE_END) || HEAD.exec(inner)?.[0].length === inner.length;
}

function readCall(inner: string, tools: ReadonlyMap<string, Tool>): readonly TextCall[] | undefined {
  const head = HEAD.exec(inner);
  const name = head?.[1];
  if (head === null || name === undefined) return undefined;
  const tool = tools.get(name);
  const members: string[] = [];
  for (let at = head[0].length; at < inner.length; at = skipSpace(inner, at)) {
    const keyEnd = inner.startsWith(KEY, at) ? inner.indexOf(KEY_END, at) : -1;
    const from = skipSpace(inner, keyEnd + KEY_END.length);
    if (keyEnd === -1 || !inner.startsWith(VALUE, from)) return undefined;
    const key = inner.slice(at + KEY.length, keyEnd).trim();
    const end = endOfTaggedValue(
      inner,
      from,
      VALUE_END,
      (next) => next === inner.length || inner.startsWith(KEY, next),
    );
    if (end === undefined) return undefined;
    const value = inner.slice(from + VALUE.length, end);
    members.push(`${JSON.stringify(key)}:${taggedValueJson(value, tool, key)}`);
    at = end + VALUE_END.length;
  }
  return [{ name, arguments: `{${members.join(',')}}` }];
}

function writeCall(call: TextCall): string {
  const pairs = [...jsonMembers(call.arguments)].map(
    ([key, json]) => `${KEY}${key}${KEY_END}\n${VALUE}${taggedValue(json)}${VALUE_END}\n`,
  );
  return `${OPEN}${call.name}\n${pairs.join('')}${CLOSE}`;
}
