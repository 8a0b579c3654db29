import type { OutcomeResolution } from '@kernel/durable';
import type { CommandCall } from '../../command-call.ts';
import { oneLine } from '../../output/escape.ts';
import { requireRun, requireUnknown } from '../../runs/find-run.ts';
import { usageError } from '../../usage-error.ts';
import { reportChange, withJournal } from './with-journal.ts';

/** Resolves a call whose outcome is unknown: runs it again, tells the model, or takes a text as its result. */
export function runsResolve(call: CommandCall): Promise<number> {
  const [id, callId, ...words] = call.words;
  const text = words.join(' ').trim();
  if (text === '' && id !== undefined)
    throw usageError('runs resolve needs ID CALL, followed by retry, tell or the text that the call returned.');
  const answer: OutcomeResolution = text === 'retry' || text === 'tell' ? text : { text };
  return withJournal(call, async (db) => {
    const run = await requireRun(db, 'runs resolve', id);
    const unknown = await requireUnknown(db, run, callId ?? '');
    const isDone = await db.resolveOutcome(run.id, unknown.callId, answer);
    const what = typeof answer === 'object' ? 'has its result' : answer === 'retry' ? 'runs again' : 'stays unknown';
    return reportChange(call, {
      isDone,
      about: { run: run.id, call: unknown.callId, answer, name: unknown.call.name },
      text: isDone
        ? `${oneLine(unknown.call.name, 64)} ${oneLine(unknown.callId, 80)} ${what}`
        : 'The call has been resolved in the meantime; the first resolution counts.',
    });
  });
}
