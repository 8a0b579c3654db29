import { messageSchema } from '@kernel/protocol/schemas';
import * as z from 'zod';
import { openAgent } from '../agent/open-agent.ts';
import { showRun } from '../agent/show-run.ts';
import type { CommandCall } from '../command-call.ts';
import { parseWith } from '../config/parse-with.ts';
import { usageError } from '../exit-code.ts';
import { readTape } from '../model/cassette.ts';
import { openModel } from '../model/open-model.ts';

const requestSchema = z.object({ messages: z.array(messageSchema) });

/**
 * Asks again what a file of `--record` holds, with the recorded replies in place of a model. The tools run again: with the flags of the recording the
 * conversation is the same.
 */
export async function replayFile(call: CommandCall): Promise<number> {
  const [file] = call.words;
  if (file === undefined) throw usageError('replay needs FILE, which --record has written.');
  const { entries } = await readTape(file, call.host);
  const first = entries.find(({ kind }) => kind === 'stream');
  if (first === undefined) throw usageError(`"${file}" holds no recorded reply of a model.`);
  const { messages } = parseWith(requestSchema, first.request, file);
  const invocation = await openModel({ ...call, flags: { ...call.flags, replay: file } });
  const agent = await openAgent(invocation);
  try {
    return await showRun(agent, { messages: messages.filter(({ role }) => role !== 'system') }, invocation);
  } finally {
    await agent.close();
  }
}
