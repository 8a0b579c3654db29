import type { Tool } from '@kernel/protocol';
import { untilMark } from '../end-finders.ts';
import type { CallParser, TextCall, TextFormat } from '../format.ts';
import { jsonMembers, skipSpace } from '../json-text.ts';
import { promptWith, plainResult } from '../prompts.ts';
import { endOfTaggedValue, taggedValue, taggedValueJson } from '../tagged-values.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const FUNCTION = '<function=';
const END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';

const tagged: CallParser = {
  open: OPEN,
  createFinder() {
    const find = untilMark(OPEN, CLOSE, (text) => isComplete(text.slice(0, -CLOSE.length)))();
    return (text, atEnd) => (beginsCall(text) ? find(text, atEnd) : -1);
  },
  parse: (text, tools) => readCall(text.slice(OPEN.length, -CLOSE.length), tools),
};

/** A call without the outer tag, as these models sometimes write it. */
const untagged: CallParser = {
  open: FUNCTION,
  lineStart: true,
  createFinder: untilMark(FUNCTION, END, isComplete),
  parse: readCall,
};

/** Qwen 3 Coder. Values are read by the tool's schema: text stays text. */
export const qwenCoder: TextFormat = {
  name: 'qwen-coder',
  prompt: promptWith(
    `To call one, answer in this form, with no suffix, one block for each call:\n${OPEN}\n<function=example_function>\n` +
      `<parameter=example_parameter>\nvalue\n</parameter>\n</function>\n${CLOSE}`,
  ),
  calls: (calls) => calls.map(writeCall).join('\n'),
  result: ({ text }) => `<tool_response>\n${plainResult(text)}\n</tool_response>`,
  parsers: [tagged, untagged],
  layout: [CLOSE],
};

function beginsCall(text: string): boolean {
  const from = skipSpace(text, OPEN.length);
  return text.startsWith(FUNCTION, from) || FUNCTION.startsWith(text.slice(from));
}

function isComplete(text: string): boolean {
  const end = text.trimEnd();
  if (!end.endsWith(END)) return false;
  const inner = end.slice(0, -END.length).trimEnd();
  return inner.endsWith(PARAMETER_END) || endsWithFunction(inner.slice(-200));
}

function endsWithFunction(text: string): boolean {
  const from = text.lastIndexOf(FUNCTION);
  return from !== -1 && readName(text, from + FUNCTION.length)?.next === text.length;
}

function readCall(text: string, tools: ReadonlyMap<string, Tool>): readonly TextCall[] | undefined {
  const whole = text.trim();
  const head = whole.startsWith(FUNCTION) && whole.endsWith(END) ? readName(whole, FUNCTION.length) : undefined;
  if (head === undefined || head.next > whole.length - END.length) return undefined;
  const { name } = head;
  const tool = tools.get(name);
  const members: string[] = [];
  const inner = whole.slice(head.next, -END.length).trimEnd();
  for (let at = 0; at < inner.length;) {
    const parameter = readParameter(inner, at);
    if (parameter === undefined) return undefined;
    const { key, value } = parameter;
    const json = taggedValueJson(value.replace(/^\n/, '').replace(/\n$/, ''), tool, key);
    members.push(`${JSON.stringify(key)}:${json}`);
    at = parameter.next;
  }
  return [{ name, arguments: `{${members.join(',')}}` }];
}

/** The name ends at a `>` on the same line. */
function readName(text: string, from: number): { readonly name: string; readonly next: number } | undefined {
  const end = text.indexOf('>', from);
  const name = end === -1 ? '' : text.slice(from, end);
  return name === '' || name.includes('\n') ? undefined : { name, next: end + 1 };
}

/** A value ends where another parameter or the end of the call follows: the closing tag may also be part of it. */
function readParameter(
  text: string,
  from: number,
): { readonly key: string; readonly value: string; readonly next: number } | undefined {
  const start = skipSpace(text, from);
  const head = text.startsWith(PARAMETER, start) ? readName(text, start + PARAMETER.length) : undefined;
  if (head === undefined) return undefined;
  const isNext = (at: number): boolean => at === text.length || text.startsWith(PARAMETER, at);
  const end = endOfTaggedValue(text, head.next, PARAMETER_END, isNext);
  if (end === undefined) return undefined;
  return { key: head.name, value: text.slice(head.next, end), next: end + PARAMETER_END.length };
}

function writeCall(call: TextCall): string {
  const parameters = [...jsonMembers(call.arguments)].map(
    ([key, json]) => `${PARAMETER}${key}>\n${taggedValue(json)}\n${PARAMETER_END}\n`,
  );
  return `${OPEN}\n<function=${call.name}>\n${parameters.join('')}</function>\n${CLOSE}`;
}
