import { type AgentEvent, type Message, toolCallsOf } from '@kernel/protocol';
import { freezeMessage, toToolMessage } from '../history/messages.ts';
import type { RunOptions } from '../options.ts';
import { lostResult, repairHistory } from '../history/repair-history.ts';
import { run } from '../run.ts';
import { inProcessSteps } from '../loop/steps.ts';
import type { Session } from './session.ts';
import { withSessionLog } from './logged-steps.ts';

/** Options of a run whose history is in a session; `messages` are the new ones, none to go on with what is open. */
export interface SessionRunOptions extends Omit<RunOptions, 'messages'> {
  readonly session: Session;
  readonly messages?: readonly Message[] | undefined;
}

/**
 * Runs a conversation that lives in a session: its history is loaded, and whatever joins it is written before the run goes on.
 *
 * Each call is written before its handler is entered. After a crash, a call of a `write` or `external` tool that had begun is not run
 * again: the model is told `OUTCOME_UNKNOWN`. One that had not begun, or whose tool is `read` or `idempotent`, runs (again). A run that
 * ended with `approval` goes on where it stopped. A write that fails ends the run with reason `error`; one before its start is thrown.
 */
export async function* runSession(options: SessionRunOptions): AsyncGenerator<AgentEvent, void> {
  const { session, messages: added = [], steps = inProcessSteps, ...rest } = options;
  const history = await loadHistory(session);
  await session.append(added.map((message) => ({ type: 'message', message })));
  yield* run({ ...rest, messages: [...history, ...added], steps: withSessionLog(steps, session, rest.tools) });
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
