import type { Tool } from '@kernel/protocol';
import { untilMark } from '../end-finders.ts';
import type { CallParser, TextCall, TextFormat } from '../format.ts';
import { jsonMembers, skipSpace } from '../json-text.ts';
import { promptWith, plainResult } from '../prompts.ts';
import { endOfTaggedValue, taggedValue, taggedValueJson } from '../tagged-values.ts';

const OPEN = '<minimax:tool_call>';
const CLOSE = '</minimax:tool_call>';
const INVOKE = '<invoke name=';
const INVOKE_END = '</invoke>';
const PARAMETER = '<parameter name=';
const PARAMETER_END = '</parameter>';

export const minimaxM2Calls: CallParser = {
  open: OPEN,
  createFinder() {
    const find = untilMark(OPEN, CLOSE, (text) => text.slice(0, -CLOSE.length).trimEnd().endsWith(INVOKE_END))();
    return (text, atEnd) => (beginsCall(text) ? find(text, atEnd) : -1);
  },
  parse: (text, tools) => readInvokes(text.slice(OPEN.length, -CLOSE.length).trimEnd(), tools),
};

// https://github.com/MiniMax-AI/MiniMax-M2/blob/main/docs/tool_calling_guide.md. Values are read by the tool's schema: text stays text, apart from
// the line feeds around a value that stands on lines of its own.
export const minimaxM2: TextFormat = {
  name: 'minimax-m2',
  prompt: promptWith(
    `To call some, answer in this form, with one invoke element for each call:\n${OPEN}\n<invoke name="example-function">\n` +
      `<parameter name="example-parameter">value</parameter>\n${INVOKE_END}\n${CLOSE}`,
  ),
  calls: (calls) => `${OPEN}\n${calls.map(writeCall).join('')}${CLOSE}`,
  result: ({ text }) => `<response>${plainResult(text).replaceAll(/<(?=\/?[ \t]{0,8}response>)/gi, '<\\')}</response>`,
  parsers: [minimaxM2Calls],
  layout: ['[e~['],
};

function beginsCall(text: string): boolean {
  const from = skipSpace(text, OPEN.length);
  return text.startsWith(INVOKE, from) || INVOKE.startsWith(text.slice(from));
}

function readInvokes(text: string, tools: ReadonlyMap<string, Tool>): readonly TextCall[] | undefined {
  const calls: TextCall[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const head = readTag(text, at, INVOKE);
    if (head === undefined) return undefined;
    const tool = tools.get(head.name);
    const members: string[] = [];
    at = skipSpace(text, head.next);
    while (!text.startsWith(INVOKE_END, at)) {
      const parameter = readTag(text, at, PARAMETER);
      if (parameter === undefined) return undefined;
      const end = endOfTaggedValue(text, parameter.next, PARAMETER_END, (next) => endsParameter(text, next));
      if (end === undefined) return undefined;
      const value = withoutOwnLines(text.slice(parameter.next, end));
      members.push(`${JSON.stringify(parameter.name)}:${taggedValueJson(value, tool, parameter.name)}`);
      at = skipSpace(text, end + PARAMETER_END.length);
    }
    calls.push({ name: head.name, arguments: `{${members.join(',')}}` });
    at += INVOKE_END.length;
  }
  return calls.length === 0 ? undefined : calls;
}

/** Another parameter, or the end of a call that ends the list or precedes another call. */
function endsParameter(text: string, at: number): boolean {
  if (text.startsWith(PARAMETER, at)) return true;
  if (!text.startsWith(INVOKE_END, at)) return false;
  const next = skipSpace(text, at + INVOKE_END.length);
  return next === text.length || text.startsWith(INVOKE, next);
}

/** The name may be quoted. */
function readTag(text: string, at: number, open: string): { readonly name: string; readonly next: number } | undefined {
  if (!text.startsWith(open, at)) return undefined;
  const end = text.indexOf('>', at + open.length);
  const written = end === -1 ? '' : text.slice(at + open.length, end).trim();
  const isQuoted = written.length > 1 && `"'`.includes(written.charAt(0)) && written.endsWith(written.charAt(0));
  const name = isQuoted ? written.slice(1, -1) : written;
  return name === '' || name.includes('\n') ? undefined : { name, next: end + 1 };
}

function withoutOwnLines(value: string): string {
  return value.length > 1 && value.startsWith('\n') && value.endsWith('\n') ? value.slice(1, -1) : value;
}

function writeCall(call: TextCall): string {
  const parameters = [...jsonMembers(call.arguments)].map(
    ([key, json]) => `${PARAMETER}"${key}">${taggedValue(json)}${PARAMETER_END}\n`,
  );
  return `${INVOKE}"${call.name}">\n${parameters.join('')}${INVOKE_END}\n`;
}
