import { argumentObject, readCallObjects } from '../call-object.ts';
import type { CallReader, EndFinder, TextFormat } from '../format.ts';
import { createJsonEnd, skipSpace } from '../json-text.ts';
import { callsJson, promptWith } from '../prompts.ts';

const MARK = '[TOOL_CALLS]';
// Newer models: the name, an optional id, and the arguments.
const HEAD = /^\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]*\s*)?(?:\[ARGS\]\s*)?(?=\{)/;

/** `[TOOL_CALLS]` and a JSON list, or `[TOOL_CALLS]name[ARGS]{…}`. */
export const mistralCalls: CallReader = { open: MARK, createFinder, parse };

/** The format of Mistral's models. */
export const mistral: TextFormat = {
  name: 'mistral',
  prompt: (tools) =>
    promptWith(
      tools,
      `To call some, answer with ${MARK} and one JSON list:\n${MARK} [{"name": <function-name>, "arguments": <args-json-object>}]`,
      '[AVAILABLE_TOOLS]',
      '[/AVAILABLE_TOOLS]',
    ),
  calls: (calls) => `${MARK} ${callsJson(calls)}`,
  result: ({ text }) => `[TOOL_RESULTS] ${JSON.stringify({ content: text })} [/TOOL_RESULTS]`,
  readers: [mistralCalls],
  layout: ['</s>'],
};

function createFinder(): EndFinder {
  let json: ReturnType<typeof createJsonEnd> | undefined;
  return (text) => {
    if (json === undefined) {
      const from = skipSpace(text, MARK.length);
      if (from === text.length) return undefined;
      if ('[{'.includes(text.charAt(from))) json = createJsonEnd(from);
      else {
        const brace = text.indexOf('{', from);
        if (brace === -1) return text.length - from > 300 ? -1 : undefined;
        if (brace - from > 300 || !HEAD.test(text)) return -1;
        json = createJsonEnd(brace);
      }
    }
    return json.find(text);
  };
}

function parse(text: string): ReturnType<CallReader['parse']> {
  const [head, name] = HEAD.exec(text) ?? [];
  if (head === undefined || name === undefined) return readCallObjects(text.slice(MARK.length));
  const object = argumentObject(text.slice(head.length));
  return object === undefined ? undefined : [{ name, arguments: object }];
}
