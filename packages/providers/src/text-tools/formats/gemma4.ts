import { headThenArguments, headUpTo } from '../end-finders.ts';
import type { CallParser, TextCall, TextFormat } from '../format.ts';
import { createGemmaObjectEnd, readGemmaObject, writeGemmaObject } from '../gemma-literal.ts';
import { promptWith, plainResult } from '../prompts.ts';

const OPEN = '<|tool_call>';
const CLOSE = '<tool_call|>';
const TURN_END = '<turn|>';
const HEAD = /^<\|tool_call>\s{0,8}:?call:\s{0,8}([^\s:{}<>]{1,200})\s{0,8}\{$/;

const readBrace = headUpTo('{', HEAD);

function readHead(text: string): number | undefined {
  const end = readBrace(text);
  return end === undefined || end < 0 ? end : end - 1;
}

/** The end of the turn may stand for the closing mark. */
export const gemma4Call: CallParser = {
  open: OPEN,
  createFinder: headThenArguments({
    readHead,
    createEnd: createGemmaObjectEnd,
    closes: [CLOSE, TURN_END],
  }),
  parse: readCall,
};

// `<|tool_call>call:name{key:<|"|>text<|"|>,other:1}<tool_call|>`: https://ai.google.dev/gemma/docs/capabilities/text/function-calling-gemma4, and
// the chat template, https://github.com/ggml-org/llama.cpp/blob/master/models/templates/google-gemma-4-31B-it-interleaved.jinja.
export const gemma4: TextFormat = {
  name: 'gemma4',
  prompt: promptWith(
    `To call one, answer in this form, one after the other for several:\n` +
      `${OPEN}call:function_name{parameter:<|"|>text<|"|>,other:1,list:[true,{key:<|"|>text<|"|>}]}${CLOSE}`,
  ),
  calls: (calls) => calls.map((call) => `${OPEN}call:${call.name}${writeGemmaObject(call.arguments)}${CLOSE}`).join(''),
  result: ({ name, text }) =>
    `<|tool_response>response:${plainResult(name)}{value:<|"|>${plainResult(text)}<|"|>}<tool_response|>`,
  parsers: [gemma4Call],
  layout: ['<|tool_response>', TURN_END, '<eos>'],
};

function readCall(text: string): readonly TextCall[] | undefined {
  const from = readHead(text) ?? -1;
  const name = from < 0 ? undefined : HEAD.exec(text.slice(0, from + 1))?.[1];
  const close = text.endsWith(CLOSE) ? CLOSE : TURN_END;
  const object = readGemmaObject(text.slice(from, -close.length).trimEnd());
  return name === undefined || object === undefined ? undefined : [{ name, arguments: object }];
}
