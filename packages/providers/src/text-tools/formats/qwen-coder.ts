import type { Tool } from '@kernel/protocol';
import { asFields, parseJson } from '../../json-fields.ts';
import { untilMark } from '../end-finders.ts';
import type { CallReader, PrintedCall, TextFormat } from '../format.ts';
import { jsonMembers, skipSpace } from '../json-text.ts';
import { promptWith } from '../prompts.ts';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const FUNCTION = '<function=';
const END = '</function>';
const CALL = /^\s*<function=([^>\n]+)>([\s\S]*)<\/function>\s*$/;
// A value ends where another parameter or the end of the call follows: the closing tag may also be part of the value.
const PARAMETER = /\s*<parameter=([^>\n]+)>([\s\S]*?)<\/parameter>(?=\s*(?:<parameter=|$))/y;

const tagged: CallReader = {
  open: OPEN,
  createFinder() {
    const find = untilMark(OPEN, CLOSE, (text) => isComplete(text.slice(0, -CLOSE.length)))();
    return (text, atEnd) => (beginsCall(text) ? find(text, atEnd) : -1);
  },
  parse: (text, tools) => readCall(text.slice(OPEN.length, -CLOSE.length), tools),
};

/** A call without the outer tag, as these models sometimes write it. */
const untagged: CallReader = {
  open: FUNCTION,
  lineStart: true,
  createFinder: untilMark(FUNCTION, END, isComplete),
  parse: readCall,
};

/** `<function=…><parameter=…>`: the format of Qwen 3 Coder. Values are read by the tool's schema: text stays text. */
export const qwenCoder: TextFormat = {
  name: 'qwen-coder',
  prompt: (tools) =>
    promptWith(
      tools,
      `To call one, answer in this form, with no suffix, one block for each call:\n${OPEN}\n<function=example_function>\n` +
        `<parameter=example_parameter>\nvalue\n</parameter>\n</function>\n${CLOSE}`,
    ),
  calls: (calls) => calls.map(writeCall).join('\n'),
  result: ({ text }) => `<tool_response>\n${text}\n</tool_response>`,
  readers: [tagged, untagged],
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
  return inner.endsWith('</parameter>') || /<function=[^>\n]+>$/.test(inner.slice(-200));
}

function readCall(text: string, tools: ReadonlyMap<string, Tool>): readonly PrintedCall[] | undefined {
  const [, name, body] = CALL.exec(text) ?? [];
  if (name === undefined || body === undefined) return undefined;
  const properties = asFields(tools.get(name)?.parameters['properties']);
  const members: string[] = [];
  const inner = body.trimEnd();
  let at = 0;
  while (at < inner.length) {
    PARAMETER.lastIndex = at;
    const [whole, key, value] = PARAMETER.exec(inner) ?? [];
    if (whole === undefined || key === undefined || value === undefined) return undefined;
    const schema = asFields(properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined);
    members.push(`${JSON.stringify(key)}:${toJson(value.replace(/^\n/, '').replace(/\n$/, ''), schema?.['type'])}`);
    at += whole.length;
  }
  return [{ name, arguments: `{${members.join(',')}}` }];
}

/** Text if the schema wants text; else JSON if the value is valid JSON. */
function toJson(value: string, type: unknown): string {
  if (type === 'string') return JSON.stringify(value);
  if (parseJson(value) !== undefined) return value.trim();
  const word = /^\s*(True|False|None)\s*$/.exec(value)?.[1];
  return word === undefined ? JSON.stringify(value) : word === 'None' ? 'null' : word.toLowerCase();
}

function writeCall(call: PrintedCall): string {
  const parameters = [...jsonMembers(call.arguments)].map(([key, json]) => {
    const value = parseJson(json);
    return `<parameter=${key}>\n${typeof value === 'string' ? value : json}\n</parameter>\n`;
  });
  return `${OPEN}\n<function=${call.name}>\n${parameters.join('')}</function>\n${CLOSE}`;
}
