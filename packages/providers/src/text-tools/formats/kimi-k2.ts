import { argumentObject } from '../json-text.ts';
import { headThenArguments, headUpTo } from '../end-finders.ts';
import type { CallParser, TextCall, TextFormat } from '../format.ts';
import { promptWith, plainResult } from '../prompts.ts';

const SECTION = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const OPEN = '<|tool_call_begin|>';
const ARGUMENTS = '<|tool_call_argument_begin|>';
const CLOSE = '<|tool_call_end|>';
const HEAD =
  /^(?:<\|tool_calls?_section_begin\|>\s{0,8})?<\|tool_call_begin\|>\s{0,8}(?:functions\.)?([^\s:<>]{1,200})(?::\d{1,9})?\s{0,8}<\|tool_call_argument_begin\|>$/;

const readHead = headUpTo(ARGUMENTS, HEAD);

/** Some models write another mark for a section. */
export const kimiCalls: readonly CallParser[] = [SECTION, '<|tool_call_section_begin|>', OPEN].map((open) => ({
  open,
  createFinder: headThenArguments({ readHead, closes: [CLOSE], tails: [SECTION_END, '<|tool_call_section_end|>'] }),
  parse: readCall,
}));

/** https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md. The number in an id counts calls; it is not read. */
export const kimiK2: TextFormat = {
  name: 'kimi-k2',
  prompt: promptWith(
    `To call some, answer in this form, with one numbered call after the other:\n${printSection(['functions.<function-name>:0'], ['<args-json-object>'])}`,
  ),
  calls: (calls) =>
    printSection(
      calls.map((call, index) => `functions.${call.name}:${index}`),
      calls.map((call) => call.arguments),
    ),
  // A result has no end mark: its heading must not occur inside it.
  result: ({ name, text }) => `## Return of functions.${plainResult(name)}\n${splitHeadings(plainResult(text))}`,
  parsers: kimiCalls,
  layout: ['<|im_end|>'],
};

function printSection(ids: readonly string[], objects: readonly string[]): string {
  return `${SECTION}${ids.map((id, at) => `${OPEN}${id}${ARGUMENTS}${objects[at]}${CLOSE}`).join('')}${SECTION_END}`;
}

function splitHeadings(text: string): string {
  return text.replaceAll(/#(?=# return of)/gi, '#\\');
}

function readCall(text: string): readonly TextCall[] | undefined {
  const end = readHead(text) ?? -1;
  const name = end < 0 ? undefined : HEAD.exec(text.slice(0, end))?.[1];
  const object = argumentObject(text.slice(end, text.lastIndexOf(CLOSE)));
  return name === undefined || object === undefined ? undefined : [{ name, arguments: object }];
}
