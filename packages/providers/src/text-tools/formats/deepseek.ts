import { argumentObject } from '../call-object.ts';
import { untilMark } from '../end-finders.ts';
import type { CallReader, PrintedCall, TextFormat } from '../format.ts';
import { promptWith } from '../prompts.ts';

const ALL = '<｜tool▁calls▁begin｜>';
const ALL_END = '<｜tool▁calls▁end｜>';
const ONE = '<｜tool▁call▁begin｜>';
const ONE_END = '<｜tool▁call▁end｜>';
const SEP = '<｜tool▁sep｜>';

/** One call: `name<sep>{…}`, or preceded by the word `function` and with a code fence around the arguments. */
const CALL =
  /^\s*(?:function\s*<｜tool▁sep｜>\s*)?([\w.-]+)\s*(?:<｜tool▁sep｜>\s*|\n\s*)(?:```json\s*([\s\S]*?)\s*```|(\{[\s\S]*\}))\s*$/;

/** All calls of a reply inside the outer marks. */
export const deepseekCalls: CallReader = {
  open: ALL,
  createFinder: untilMark(ALL, ALL_END, (text) => text.slice(0, -ALL_END.length).trimEnd().endsWith(ONE_END)),
  parse: (text) => readCalls(text.slice(ALL.length, -ALL_END.length)),
};

/** One call without the outer marks. */
export const deepseekCall: CallReader = {
  open: ONE,
  createFinder: untilMark(ONE, ONE_END, (text) => readOne(text) !== undefined),
  parse(text) {
    const call = readOne(text);
    return call === undefined ? undefined : [call];
  },
};

/** The format of DeepSeek V3, V3.1 and R1. */
export const deepseek: TextFormat = {
  name: 'deepseek',
  prompt: (tools) =>
    promptWith(
      tools,
      `To call some, answer in this form and write nothing after it:\n${ALL}${ONE}function_name${SEP}{"parameter": "value"}${ONE_END}${ALL_END}`,
    ),
  calls: (calls) =>
    `${ALL}${calls.map((call) => `${ONE}${call.name}${SEP}${call.arguments}${ONE_END}`).join('')}${ALL_END}`,
  result: ({ text }) => `<｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜>`,
  readers: [deepseekCalls, deepseekCall],
  layout: ['<｜end▁of▁sentence｜>'],
};

function readCalls(text: string): readonly PrintedCall[] | undefined {
  const calls: PrintedCall[] = [];
  let rest = text.trim();
  while (rest !== '') {
    let end = rest.indexOf(ONE_END);
    let call = end === -1 ? undefined : readOne(rest.slice(0, end + ONE_END.length));
    // The closing mark may occur inside an argument.
    while (call === undefined && end !== -1) {
      end = rest.indexOf(ONE_END, end + 1);
      if (end !== -1) call = readOne(rest.slice(0, end + ONE_END.length));
    }
    if (call === undefined) return undefined;
    calls.push(call);
    rest = rest.slice(end + ONE_END.length).trim();
  }
  return calls.length === 0 ? undefined : calls;
}

function readOne(text: string): PrintedCall | undefined {
  if (!text.startsWith(ONE)) return undefined;
  const [, name, fenced, plain] = CALL.exec(text.slice(ONE.length, -ONE_END.length)) ?? [];
  const object = argumentObject(fenced ?? plain ?? '0');
  return name === undefined || object === undefined ? undefined : { name, arguments: object };
}
