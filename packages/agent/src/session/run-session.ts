import { type AgentEvent, checkKeys, KernelError, type Message, toolCallsOf } from '@kernel/protocol';
import { freezeMessage, toToolMessage } from '../history/messages.ts';
import { lostResult, repairHistory } from '../history/repair-history.ts';
import { inProcessSteps } from '../loop/steps.ts';
import { RUN, runKeys } from '../option-keys.ts';
import type { RunOptions } from '../options.ts';
import { run } from '../run.ts';
import { withSessionLog } from './logged-steps.ts';
import type { Session } from './session.ts';

/** Options of a run whose history is in a session. */
export interface SessionRunOptions extends Omit<RunOptions, 'messages'> {
  /** Where the history is. */
  readonly session: Session;
  /** The new messages. Leave them out to go on with what is pending. */
  readonly messages?: readonly Message[] | undefined;
}

const SESSION_RUN_KEYS = runKeys<SessionRunOptions>({ ...RUN, session: true });

/**
 * Runs a conversation that lives in a session: loads its history, and writes whatever is added to it before the run goes on.
 *
 * Each call is logged before its handler is entered. After a crash, a call of a `write` or `external` tool that had begun does not run
 * again: the model reads `OUTCOME_UNKNOWN`. Any other call without a result runs (again). A run that ended with `approval` goes on where it
 * stopped. A failed write ends the run with reason `error`; one before the start of the run is thrown.
 * Throws `CONFIG_INVALID` at once for options that it does not have.
 */
export function runSession(options: SessionRunOptions): AsyncGenerator<AgentEvent, void> {
  checkKeys('runSession', options, SESSION_RUN_KEYS);
  if (typeof options.session?.append !== 'function')
    throw new KernelError('CONFIG_INVALID', 'runSession() was called without a session.', {
      hint: 'Pass createMemorySession(), or await openFileSession(path) of @kernel/agent/session-file.',
    });
  return runInSession(options);
}

async function* runInSession(options: SessionRunOptions): AsyncGenerator<AgentEvent, void> {
  const { session, messages: added = [], steps = inProcessSteps, runId = session.id, ...rest } = options;
  const history = await loadHistory(session);
  await session.append(added.map((message) => ({ type: 'message', message })));
  yield* run({ ...rest, runId, messages: [...history, ...added], steps: withSessionLog(steps, session, rest.tools) });
}

/** Returns the history of a session, repaired: every call that must not run again has a result. */
export async function loadHistory(session: Session): Promise<readonly Message[]> {
  const entries = await session.entries();
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
