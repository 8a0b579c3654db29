import type { Decision } from '@kernel/durable';
import type { CommandCall } from '../../command-call.ts';
import { requireRun, requireWaiting } from '../../runs/find-run.ts';
import { callSummary } from '../../runs/run-text.ts';
import { usageError } from '../../usage-error.ts';
import { reportChange, withJournal } from './with-journal.ts';

/** Allows a call that waits, the only one of the run if none is named. */
export function runsApprove(call: CommandCall): Promise<number> {
  return decide(call, 'runs approve', { decision: 'allow' });
}

/** Denies a call that waits, the only one of the run if none is named. The model reads the reason. */
export function runsDeny(call: CommandCall): Promise<number> {
  const { reason = '' } = call.flags;
  if (reason.trim() === '') throw usageError('runs deny needs --reason TEXT, which the model reads.');
  return decide(call, 'runs deny', { decision: 'deny', reason });
}

function decide(call: CommandCall, command: string, decision: Decision): Promise<number> {
  const [id, named] = call.words;
  return withJournal(call, async (db) => {
    const run = await requireRun(db, command, id);
    const waiting = await requireWaiting(db, run, named);
    const isDone = await db.decide(run.id, waiting.callId, decision);
    const verb = decision.decision === 'allow' ? 'approved' : 'denied';
    // What was decided on, as it was when the decision was made.
    const what = callSummary(waiting.call.name, waiting.call.arguments);
    return reportChange(call, {
      isDone,
      about: { run: run.id, call: waiting.callId, decision: decision.decision, name: waiting.call.name },
      text: isDone ? `${verb}: ${what}` : 'The call was decided meanwhile; the first decision counts.',
    });
  });
}
