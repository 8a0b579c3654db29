import { textOf } from '@kernel/protocol';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { callModel, tokenLine, writeReply } from './raw-call.ts';

/** One chat call: `Response: TEXT` and the token line; with `--stream` the raw text and a newline. */
export async function chat(session: Session): Promise<number> {
  const end = await callModel(session, { protocol: 'chat', content: session.prompt });
  const lines =
    session.flags.stream === true ? [] : [`Response: ${textOf(end.message)}`, ...tokenLine(end, 'completions')];
  writeReply(session, 'chat', end, lines);
  return EXIT.answer;
}
