import type { AgentEvent, Message, UserMessage } from '@kernel/protocol';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import { showRun } from '../agent/show-run.ts';
import type { CommandCall } from '../command-call.ts';
import type { Invocation } from '../invocation.ts';
import { openModel } from '../model/open-model.ts';
import { checkAsk } from '../options/check-ask.ts';
import { isStreamed } from '../output/view.ts';
import { readMessage } from '../prompt/read-message.ts';
import type { KeptSession } from '../sessions/keep-session.ts';

/** Gives a prompt to the agent, or with `--protocol` to a model without it, and prints the answer on stdout. */
export async function ask(call: CommandCall): Promise<number> {
  const { protocol, warnings } = checkAsk(call.flags);
  for (const warning of warnings) call.output.note(`warning: ${warning}`);
  if (protocol === 'audio') {
    const { audio } = await import('../protocols/audio.ts');
    return audio(await openModel(call, 'audio', true));
  }
  const goesOn = protocol === undefined && (call.flags.continue === true || call.flags.session !== undefined);
  const { message, text, template, typed } = await readMessage(call, {
    takesMedia: protocol === undefined,
    mayBeEmpty: goesOn,
  });
  const flags = template?.model === undefined ? call.flags : { model: template.model, ...call.flags };
  const need = protocol === 'embeddings' ? protocol : 'chat';
  const invocation = await openModel({ ...call, flags }, need, protocol !== undefined);
  if (protocol === 'embeddings') return (await import('../protocols/embeddings.ts')).embeddings(invocation, text);
  if (protocol !== undefined) return (await import('../protocols/raw-call.ts')).rawCall(invocation, protocol, text);
  const agent = await openAgent(invocation, { system: template?.system });
  try {
    const isEmpty = text === '' && message.content === '';
    return await inSession(invocation, agent, isEmpty ? [] : [await withResources(message, typed, agent, call.signal)]);
  } finally {
    await agent.close();
  }
}

/** The message with the resources before it that are mentioned in it. */
async function withResources(
  message: UserMessage,
  typed: string,
  agent: OpenAgent,
  signal: AbortSignal,
): Promise<UserMessage> {
  if (!typed.includes('@')) return message;
  const { attachResources, mayMention } = await import('../mcp-servers/attach-resources.ts');
  if (!mayMention(typed)) return message;
  const parts = await attachResources(typed, await agent.servers(), signal);
  if (parts.length === 0) return message;
  const { content } = message;
  return {
    ...message,
    content: [...parts, ...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content)],
  };
}

/** Runs the agent in its session, if it is kept. Without new messages it goes on with what is pending; if nothing is, the last answer is shown again. */
async function inSession(invocation: Invocation, agent: OpenAgent, messages: readonly Message[]): Promise<number> {
  const { keepSession } = await import('../sessions/keep-session.ts');
  const kept = await keepSession(invocation, messages.length > 0, true);
  try {
    if (kept?.journal !== undefined) return await inJournal(invocation, agent, kept, kept.journal, messages);
    if (messages.length === 0 && kept?.lastAnswer !== undefined)
      return await showLast(kept.lastAnswer, invocation, agent);
    kept?.start(messages, await agent.commands());
    return await showRun(
      agent,
      { messages, session: kept?.session, record: (event) => kept?.record(event) },
      invocation,
    );
  } finally {
    await kept?.close();
  }
}

async function inJournal(
  invocation: Invocation,
  agent: OpenAgent,
  kept: KeptSession,
  path: string,
  messages: readonly Message[],
): Promise<number> {
  const { openRecordedSession } = await import('../runs/recorded-session.ts');
  const recorded = await openRecordedSession(path, kept.session, invocation);
  try {
    const lastAnswer = messages.length === 0 ? await recorded.lastAnswer() : undefined;
    if (lastAnswer !== undefined) return await showLast(lastAnswer, invocation, agent);
    const commands = await agent.commands();
    kept.start(messages, commands);
    const events = recorded.run(agent.options, messages, commands);
    return await showRun(agent, { messages, events, record: (event) => kept.record(event) }, invocation);
  } finally {
    recorded.close();
  }
}

/** Shows an answer that was given before, as the flags ask for. */
function showLast(answer: string, invocation: Invocation, agent: OpenAgent): Promise<number> {
  invocation.output.note('note: nothing was pending; this is the last answer again.');
  return showRun(agent, { messages: [], events: eventsOf(answer, isStreamed(invocation)) }, invocation);
}

// oxlint-disable-next-line typescript/require-await -- as those of a run
async function* eventsOf(answer: string, inPieces: boolean): AsyncGenerator<AgentEvent> {
  // A streamed answer comes in pieces, and its last event has no text.
  if (inPieces) yield { type: 'text-delta', text: answer };
  const usage = { inputTokens: 0, outputTokens: 0 };
  yield { type: 'run-end', reason: 'done', answer, turns: 0, messages: [], usage };
}
