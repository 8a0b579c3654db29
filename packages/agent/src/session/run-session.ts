import { type AgentEvent, type Message, toolCallsOf } from '@kernel/protocol';
import { freezeMessage, toToolMessage } from '../history/messages.ts';
import { lostResult, repairHistory } from '../history/repair-history.ts';
import { inProcessSteps } from '../loop/steps.ts';
import type { RunOptions } from '../options.ts';
import { run } from '../run.ts';
import { withSessionLog } from './logged-steps.ts';
import type { Session, SessionEntry } from './session.ts';
import { storeError } from './store-error.ts';

/** Options of a run whose history is in a session. */
export interface SessionRunOptions extends Omit<RunOptions, 'messages'> {
  /** Where the history is. */
  readonly session: Session;
  /** The new messages. Leave them out to go on with what is pending. */
  readonly messages?: readonly Message[] | undefined;
}

/**
 * Runs a conversation that lives in a session: loads its history, and writes whatever is added to it before the run goes on.
 *
 * Each call is logged before its handler is entered. After a crash, a call of a `write` or `external` tool that had begun does not run
 * again: the model reads `OUTCOME_UNKNOWN`. Any other call without a result runs (again). A run that ended with `approval` goes on where it
 * stopped. A failed write ends the run with reason `error`; one before the start of the run is thrown.
 */
export async function* runSession(options: SessionRunOptions): AsyncGenerator<AgentEvent, void> {
  const { session, messages: added = [], steps = inProcessSteps, runId = session.id, ...rest } = options;
  const history = await loadHistory(session);
  await append(session, added);
  yield* run({ ...rest, runId, messages: [...history, ...added], steps: withSessionLog(steps, session, rest.tools) });
}

/** Returns the history of a session, repaired: every call that must not run again has a result. */
export async function loadHistory(session: Session): Promise<readonly Message[]> {
  const entries = await readEntries(session);
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const unrepeatable = new Set(
    entries.flatMap((entry) =>
      entry.type === 'call-start' && entry.effect !== 'read' && entry.effect !== 'idempotent' ? [entry.callId] : [],
    ),
  );
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const lost = messages
    .flatMap(toolCallsOf)
    .filter((call) => unrepeatable.has(call.id) && !answered.has(call.id))
    .map((call) => toToolMessage(call, lostResult(call)));
  return repairHistory([...messages, ...lost]).map(freezeMessage);
}

async function readEntries(session: Session): Promise<readonly SessionEntry[]> {
  try {
    return await session.entries();
  } catch (error) {
    throw storeError('The session could not be read', error);
  }
}

async function append(session: Session, messages: readonly Message[]): Promise<void> {
  try {
    await session.append(messages.map((message) => ({ type: 'message', message })));
  } catch (error) {
    throw storeError('The session could not be written', error);
  }
}
