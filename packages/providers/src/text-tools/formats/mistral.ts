import { MAX_HEAD_LENGTH } from '../end-finders.ts';
import type { CallParser, MarkupEndFinder, TextFormat } from '../format.ts';
import { createJsonEnd, skipSpace, argumentObject, readCallObjects } from '../json-text.ts';
import { callsJson, promptWith, tokenFreeJson } from '../prompts.ts';

const MARK = '[TOOL_CALLS]';
const NAME = /[\w.-]+/y;
const CALL_ID = /\[CALL_ID\][ \t]{0,8}[\w-]{0,64}/y;

/** `[TOOL_CALLS]` and a JSON list, or `[TOOL_CALLS]name[ARGS]{…}`. */
export const mistralCalls: CallParser = { open: MARK, createFinder, parse };

export const mistral: TextFormat = {
  name: 'mistral',
  prompt: promptWith(
    `To call some, answer with ${MARK} and one JSON list:\n${MARK} [{"name": <function-name>, "arguments": <args-json-object>}]`,
    '[AVAILABLE_TOOLS]',
    '[/AVAILABLE_TOOLS]',
  ),
  calls: (calls) => `${MARK} ${callsJson(calls)}`,
  result: ({ text }) => `[TOOL_RESULTS] ${tokenFreeJson({ content: text })} [/TOOL_RESULTS]`,
  parsers: [mistralCalls],
  layout: ['</s>'],
};

function createFinder(): MarkupEndFinder {
  let json: ReturnType<typeof createJsonEnd> | undefined;
  return (text) => {
    if (json === undefined) {
      const from = skipSpace(text, MARK.length);
      if (from === text.length) return undefined;
      if ('[{'.includes(text.charAt(from))) json = createJsonEnd(from);
      else {
        const brace = from + text.slice(from, from + MAX_HEAD_LENGTH + 1).indexOf('{');
        if (brace < from) return text.length - from > MAX_HEAD_LENGTH ? -1 : undefined;
        if (readHead(text)?.end !== brace) return -1;
        json = createJsonEnd(brace);
      }
    }
    return json.find(text);
  };
}

function parse(text: string): ReturnType<CallParser['parse']> {
  const head = readHead(text);
  if (head === undefined) return readCallObjects(text.slice(MARK.length));
  const object = argumentObject(text.slice(head.end));
  return object === undefined ? undefined : [{ name: head.name, arguments: object }];
}

/** What newer models write before the arguments: the name, and perhaps an id and `[ARGS]`. */
function readHead(text: string): { readonly name: string; readonly end: number } | undefined {
  let at = skipSpace(text, MARK.length);
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at = skipSpace(text, at + found.length);
    return found;
  };
  const name = take(NAME);
  take(CALL_ID);
  take(/\[ARGS\]/y);
  return name !== '' && text[at] === '{' ? { name, end: at } : undefined;
}
