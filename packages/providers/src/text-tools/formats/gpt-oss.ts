import { argumentObject } from '../json-text.ts';
import { headThenArguments, headUpTo } from '../end-finders.ts';
import type { CallParser, TextCall, TextFormat } from '../format.ts';
import { promptWith, plainResult } from '../prompts.ts';

const START = '<|start|>assistant';
const CHANNEL = '<|channel|>';
const MESSAGE = '<|message|>';
const CALL = '<|call|>';
/** The recipient stands before or after the channel. The kind of content follows, with or without its mark. */
const HEAD =
  /^(?:<\|start\|>assistant)?\s{0,8}(?:to=(?:functions\.)?([^\s<>]{1,200}))?\s{0,8}<\|channel\|>(?:commentary|analysis)\s{0,8}(?:to=(?:functions\.)?([^\s<>]{1,200}))?\s{0,8}(?:<\|constrain\|>)?\s{0,8}(?:json)?\s{0,8}<\|message\|>$/;

const readHead = headUpTo(MESSAGE, HEAD);

// A server takes the mark of a call away where it is what stopped the reply.
const TAILS = [CALL, '<|end|>', '<|return|>'];

const createFinder = headThenArguments({ readHead, tails: TAILS });

export const harmonyCalls: readonly CallParser[] = [START, CHANNEL].map((open) => ({
  open,
  createFinder,
  parse: readCall,
}));

/** The role is the end of the prompt. */
const callOfRole: CallParser = { open: 'to=functions.', lineStart: true, createFinder, parse: readCall };

// Harmony: https://github.com/openai/harmony/blob/main/docs/format.md. Calls are read on the channels `commentary` and `analysis`; messages to the user
// keep their marks, which servers take away.
export const gptOss: TextFormat = {
  name: 'gpt-oss',
  prompt: promptWith(
    'To call one, write a message on the commentary channel to the recipient functions.<function-name>. Its content is a JSON object of the arguments.',
  ),
  calls: (calls) =>
    calls
      .map(
        (call) => `${CHANNEL}commentary to=functions.${call.name} <|constrain|>json${MESSAGE}${call.arguments}${CALL}`,
      )
      .join(START),
  result: ({ name, text }) =>
    `<|start|>functions.${plainResult(name)} to=assistant${CHANNEL}commentary${MESSAGE}${plainResult(text)}<|end|>`,
  parsers: [...harmonyCalls, callOfRole],
};

function readCall(text: string): readonly TextCall[] | undefined {
  const end = readHead(text) ?? -1;
  const match = end < 0 ? null : HEAD.exec(text.slice(0, end));
  const name = match?.[1] ?? match?.[2];
  const body = text.slice(end).trim();
  const tail = TAILS.find((mark) => body.endsWith(mark));
  const object = argumentObject(tail === undefined ? body : body.slice(0, -tail.length));
  return name === undefined || object === undefined ? undefined : [{ name, arguments: object }];
}
