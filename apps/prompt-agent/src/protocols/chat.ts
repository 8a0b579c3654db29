import { textOf } from '@kernel/protocol';
import { EXIT } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/** Makes one chat call: `Response: TEXT` and the token line; with `--stream` the raw text and a newline. */
export async function chat(invocation: Invocation, prompt: string): Promise<number> {
  const end = await callModel(invocation, { protocol: 'chat', content: prompt });
  const lines =
    invocation.flags.stream === true ? [] : [`Response: ${textOf(end.message)}`, ...tokenLine(end, 'completions')];
  writeReply(invocation, 'chat', end, lines);
  return EXIT.answer;
}
