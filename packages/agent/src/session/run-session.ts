import { type AgentEvent, type Message, type Tool, toolCallsOf, type Toolset } from '@kernel/protocol';
import { freezeMessage, toToolMessage } from '../history.ts';
import type { RunOptions } from '../options.ts';
import { lostResult, repairHistory } from '../repair-history.ts';
import { run } from '../run.ts';
import type { Session, SessionEntry } from './session.ts';

/** Options of a run whose history is in a session; `messages` are the new ones, none to go on with what is open. */
export interface SessionRunOptions extends Omit<RunOptions, 'messages'> {
  readonly session: Session;
  readonly messages?: readonly Message[] | undefined;
}

/**
 * Runs a conversation that lives in a session: its history is loaded, and whatever joins it is written at once.
 *
 * Each call is written before its handler is entered. After a crash, a call of a `write` or `external` tool that had begun is not run
 * again: the model is told `OUTCOME_UNKNOWN`. One that had not begun, or whose tool is `read` or `idempotent`, runs (again). A run that
 * ended with `approval` goes on where it stopped. A failed write ends the run: it is thrown.
 */
export async function* runSession(options: SessionRunOptions): AsyncGenerator<AgentEvent, void> {
  const { session, messages: added = [], tools, ...rest } = options;
  const history = await loadHistory(session);
  await session.append(added.map(toEntry));
  const logged = tools === undefined ? undefined : withCallLog(tools, session);
  const events = run({ ...rest, messages: [...history, ...added], tools: logged });
  for await (const event of events) {
    const entries = entriesOf(event);
    if (entries.length > 0) await session.append(entries);
    yield event;
  }
}

/** Returns the history of a session, sound: every call that may not be run again has a result. */
export async function loadHistory(session: Session): Promise<readonly Message[]> {
  const entries = await session.entries();
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const risky = new Set(
    entries.flatMap((entry) =>
      entry.type === 'call-start' && entry.effect !== 'read' && entry.effect !== 'idempotent' ? [entry.callId] : [],
    ),
  );
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const lost = messages
    .flatMap(toolCallsOf)
    .filter((call) => risky.has(call.id) && !answered.has(call.id))
    .map((call) => toToolMessage(call, lostResult(call)));
  return repairHistory([...messages, ...lost]).map(freezeMessage);
}

function entriesOf(event: AgentEvent): readonly SessionEntry[] {
  switch (event.type) {
    case 'message-end':
      return event.message.content.length > 0 ? [toEntry(event.message)] : [];
    case 'tool-end':
      return [toEntry(toToolMessage(event.call, event.result))];
    case 'steer':
      return event.messages.map(toEntry);
    default:
      return [];
  }
}

/** Writes each call before it runs. A call that cannot be written does not run. */
function withCallLog(tools: Toolset, session: Session): Toolset {
  const effectOf = (name: string): Tool['effect'] => tools.list().find((tool) => tool.name === name)?.effect;
  return {
    ...tools,
    async call(call, context) {
      const { id: callId, name } = call;
      await session.append([{ type: 'call-start', callId, name, effect: effectOf(name) ?? 'external' }]);
      return tools.call(call, context);
    },
  };
}

function toEntry(message: Message): SessionEntry {
  return { type: 'message', message };
}
