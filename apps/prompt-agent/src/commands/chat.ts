import { createInterface } from 'node:readline';
import { openAgent } from '../agent/open-agent.ts';
import { keptSessions, openConversation } from '../chat/conversation.ts';
import { handleMessage } from '../chat/slash-commands.ts';
import { chatOnTerminal } from '../chat/terminal-chat.ts';
import type { CommandCall } from '../command-call.ts';
import { EXIT, usageError } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { openModel } from '../model/open-model.ts';
import { type Output, warnIfSlow } from '../output/output.ts';
import { SILENT_MS } from '../prompt/read-stdin.ts';
import { hasTerminal } from '../questions/ask.ts';

/**
 * Talks with the agent, message after message. Where stdin is not a terminal each line is a message, and the exit code is that of the last message that failed. The
 * conversation is kept as a session, as those of `ask` are.
 */
export async function chat(call: CommandCall): Promise<number> {
  const invocation = await openModel(call);
  if (!hasTerminal(call.host)) return chatOverLines(invocation);
  invocation.output.note('/help shows the commands; Ctrl-D leaves.');
  return chatOnTerminal(invocation, keptSessions(invocation));
}

async function chatOverLines(invocation: Invocation): Promise<number> {
  const { host, signal } = invocation;
  const agent = await openAgent(invocation);
  try {
    const conversation = await openConversation(invocation, agent, keptSessions(invocation));
    let code: number = EXIT.answer;
    for await (const text of readMessages(host.stdin, invocation.output, signal)) {
      if (text.trim() === '') continue;
      if (text.length > MAX_MESSAGE) throw usageError(`A message has more than ${MAX_MESSAGE} characters.`);
      const result = await handleMessage(text, { invocation, agent, conversation, signal });
      if (result === 'leave' || signal.aborted) break;
      if (result !== undefined && result !== EXIT.answer) code = result;
    }
    await conversation.close();
    return signal.aborted ? EXIT.interrupted : code;
  } finally {
    await agent.close();
  }
}

const MAX_MESSAGE = 1_000_000;

/**
 * Yields the messages of an input that is not a terminal: one a line; a backslash at its end adds the next one. Ends with the signal. While nothing has come it says
 * that it waits, and after ten minutes it throws a usage error.
 */
async function* readMessages(
  input: NodeJS.ReadableStream,
  output: Pick<Output, 'alert'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), SILENT_MS);
  const stopWarning = warnIfSlow(output, 'messages on stdin, one a line');
  const heard = (): void => {
    clearTimeout(timer);
    stopWarning();
  };
  const lines = createInterface({ input, crlfDelay: Infinity, signal: AbortSignal.any([signal, silent.signal]) });
  lines.once('close', heard);
  input.once('data', heard);
  let entered: string[] = [];
  for await (const line of lines) {
    if (line.endsWith('\\')) {
      entered.push(line.slice(0, -1));
      continue;
    }
    yield [...entered, line].join('\n');
    entered = [];
  }
  if (silent.signal.aborted)
    throw usageError(`Nothing came from stdin within ${SILENT_MS / 1000} s. Pipe the messages in, one a line.`);
  if (entered.length > 0) yield entered.join('\n');
}
