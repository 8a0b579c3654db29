import { openAgent } from '../agent/open-agent.ts';
import { keptSessions } from '../chat/chat-sessions.ts';
import { openConversation } from '../chat/conversation.ts';
import { MAX_MESSAGE, readMessages } from '../chat/read-lines.ts';
import { chatOnTerminal, oneMessage } from '../chat/terminal-chat.ts';
import type { CommandCall } from '../command-call.ts';
import { EXIT } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { openModel } from '../model/open-model.ts';
import { checkSession, checkTools } from '../options/check-ask.ts';
import { checkLimits } from '../options/run-limits.ts';
import { hasTerminal } from '../questions/ask.ts';
import { usageError } from '../usage-error.ts';

/**
 * Talks with the agent, message after message. Where stdin is not a terminal each line is a message, and the exit code is that of the last message that failed. The
 * conversation is kept as a session, as those of `ask` are.
 */
export async function chat(call: CommandCall): Promise<number> {
  checkTools(call.flags);
  checkLimits(call.flags);
  checkSession(call.flags);
  const invocation = await openModel(call, { need: 'chat', isRaw: false });
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
      const result = await oneMessage(text, { invocation, agent, conversation, signal });
      if (result === 'leave' || signal.aborted) break;
      if (result !== undefined && result !== EXIT.answer) code = result;
    }
    await conversation.close();
    return signal.aborted ? EXIT.interrupted : code;
  } finally {
    await agent.close();
  }
}
