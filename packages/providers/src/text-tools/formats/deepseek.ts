import { MAX_HEAD_LENGTH, untilMark } from '../end-finders.ts';
import type { CallParser, MarkupEndFinder, TextCall, TextFormat } from '../format.ts';
import { createJsonEnd, skipSpace, argumentObject } from '../json-text.ts';
import { promptWith, plainResult } from '../prompts.ts';

const ALL = '<｜tool▁calls▁begin｜>';
const ALL_END = '<｜tool▁calls▁end｜>';
const ONE = '<｜tool▁call▁begin｜>';
const ONE_END = '<｜tool▁call▁end｜>';
const SEP = '<｜tool▁sep｜>';
const FENCE = '```';
const JSON_FENCE = '```json';
const NAME = /[\w.-]+/y;

export const deepseekCalls: CallParser = {
  open: ALL,
  createFinder: untilMark(ALL, ALL_END, (text) => text.slice(0, -ALL_END.length).trimEnd().endsWith(ONE_END)),
  parse: (text) => readCalls(text.slice(ALL.length, -ALL_END.length)),
};

export const deepseekCall: CallParser = {
  open: ONE,
  createFinder: findOne,
  parse: readCalls,
};

/** DeepSeek V3, V3.1 and R1. */
export const deepseek: TextFormat = {
  name: 'deepseek',
  prompt: promptWith(
    `To call some, answer in this form and write nothing after it:\n${ALL}${ONE}function_name${SEP}{"parameter": "value"}${ONE_END}${ALL_END}`,
  ),
  calls: (calls) =>
    `${ALL}${calls.map((call) => `${ONE}${call.name}${SEP}${call.arguments}${ONE_END}`).join('')}${ALL_END}`,
  result: ({ text }) => `<｜tool▁output▁begin｜>${plainResult(text)}<｜tool▁output▁end｜>`,
  parsers: [deepseekCalls, deepseekCall],
  layout: ['<｜end▁of▁sentence｜>'],
};

function readCalls(text: string): readonly TextCall[] | undefined {
  const calls: TextCall[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const head = readHead(text, at);
    if (head === undefined) return undefined;
    const from = head.bodyAt;
    const bodyEnd = text[from] === '{' ? createJsonEnd(from).find(text) : fenceEnd(text, head);
    const end = bodyEnd === undefined ? undefined : closedAt(text, bodyEnd, head.isFenced);
    const object = end === undefined ? undefined : argumentObject(text.slice(from, bodyEnd));
    if (end === undefined || object === undefined) return undefined;
    calls.push({ name: head.name, arguments: object });
    at = end;
  }
  return calls.length === 0 ? undefined : calls;
}

type Head = NonNullable<ReturnType<typeof readHead>>;

/** `name<sep>`, or the word `function`, the separator, the name and a code fence. */
function readHead(text: string, start: number) {
  if (!text.startsWith(ONE, start)) return undefined;
  let at = skipSpace(text, start + ONE.length);
  const name = (): string => {
    NAME.lastIndex = at;
    const word = NAME.exec(text)?.[0] ?? '';
    at += word.length;
    return word;
  };
  let word = name();
  const afterWord = skipSpace(text, at);
  if (word === 'function' && text.startsWith(SEP, afterWord)) {
    const before = at;
    at = skipSpace(text, afterWord + SEP.length);
    word = name();
    // A tool may itself be called `function`.
    if (word === '') [word, at] = ['function', before];
  }
  const separator = skipSpace(text, at);
  const hasMark = text.startsWith(SEP, separator);
  if (word === '' || !(hasMark || text.slice(at, separator).includes('\n'))) return undefined;
  const bodyAt = skipSpace(text, hasMark ? separator + SEP.length : separator);
  if (text[bodyAt] === '{') return { name: word, isFenced: false, bodyAt };
  if (!text.startsWith(JSON_FENCE, bodyAt)) return undefined;
  return { name: word, isFenced: true, bodyAt: skipSpace(text, bodyAt + JSON_FENCE.length) };
}

/** Finds the end of a fence whose arguments are not an object. */
function fenceEnd(text: string, { bodyAt }: Head): number | undefined {
  const end = text.indexOf(FENCE, bodyAt);
  return end === -1 ? undefined : end;
}

/** The mark ends the call if only the end of the fence and white space precede it. */
function closedAt(text: string, bodyEnd: number, isFenced: boolean): number | undefined {
  let at = skipSpace(text, Math.max(bodyEnd, 0));
  if (bodyEnd === -1 || (isFenced && !text.startsWith(FENCE, at))) return undefined;
  if (isFenced) at = skipSpace(text, at + FENCE.length);
  return text.startsWith(ONE_END, at) ? at + ONE_END.length : undefined;
}

/** The closing mark may occur inside an argument. */
function findOne(): MarkupEndFinder {
  const find = untilMark(ONE, ONE_END, () => true)();
  let head: Head | undefined;
  let json: ReturnType<typeof createJsonEnd> | undefined;
  let bodyEnd: number | undefined;
  let isOther = false;
  return (text, atEnd) => {
    if (isOther) return undefined;
    if (head === undefined) {
      // The head is complete where its arguments begin, or at the closing mark.
      const end = find(text, atEnd);
      head = readHead(text.slice(0, MAX_HEAD_LENGTH), 0);
      isOther = head === undefined && (end !== undefined || text.length > MAX_HEAD_LENGTH);
      if (head === undefined || (head.isFenced && head.bodyAt === text.length)) {
        head = undefined;
        return undefined;
      }
    }
    if (text[head.bodyAt] !== '{') {
      const end = fenceEnd(text, head);
      return end === undefined ? undefined : closedAt(text, end, head.isFenced);
    }
    json ??= createJsonEnd(head.bodyAt);
    bodyEnd ??= json.find(text);
    return bodyEnd === undefined ? undefined : closedAt(text, bodyEnd, head.isFenced);
  };
}
