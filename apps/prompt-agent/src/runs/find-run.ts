import type { Durable, RecordedRun, WaitingCall } from '@kernel/durable';
import { usageError } from '../exit-code.ts';
import { didYouMean } from '../output/did-you-mean.ts';
import { oneLine } from '../output/escape.ts';

const MAX_COMPARED = 1000;
const MAX_LISTED = 10;
const MAX_ID = 80;

/** Finds a run by its id. Rejects with a usage error for one that is missing or unknown, with near ids. */
export async function requireRun(db: Durable, command: string, id: string | undefined): Promise<RecordedRun> {
  if (id === undefined) throw usageError(`${command} needs the id of a run. See prompt-agent runs list.`);
  const found = await db.status(id);
  if (found !== undefined) return found;
  const known = await db.list({ limit: MAX_COMPARED });
  const ids = known.map((run) => run.id);
  throw usageError(`There is no run "${oneLine(id, MAX_ID)}".${didYouMean(id, ids, 2)} See prompt-agent runs list.`);
}

/**
 * Finds the call of a run that waits for a decision, the only one if none is named. Rejects with a usage error that says what waits for a call that does
 * not, and where several do.
 */
export async function requireWaiting(
  db: Durable,
  { id, status }: RecordedRun,
  callId: string | undefined,
): Promise<WaitingCall> {
  const waiting = await db.waiting(id);
  const calls = waiting.filter(({ kind }) => kind === 'approval');
  const named = callId === undefined ? undefined : waiting.find((each) => each.callId === callId);
  const found = callId === undefined && calls.length === 1 ? calls[0] : named;
  if (found?.kind === 'approval') return found;
  if (found !== undefined)
    throw usageError(
      `The outcome of call "${shown(found.callId)}" is unknown, so it can be neither approved nor denied. See prompt-agent runs resolve.`,
    );
  const run = `run "${shown(id)}"`;
  if (calls.length === 0) throw usageError(`No call of ${run} waits for a decision: it is ${status}.`);
  const list = listOf(calls);
  const more = calls.length > MAX_LISTED ? ` and ${calls.length - MAX_LISTED} more` : '';
  if (callId === undefined) throw usageError(`Several calls of ${run} wait; name one of: ${list}${more}.`);
  const ids = calls.map((each) => each.callId);
  const hint = didYouMean(callId, ids);
  throw usageError(`No call "${shown(callId)}" of ${run} waits for a decision.${hint} These do: ${list}${more}.`);
}

/** Finds a call of a run whose outcome is unknown. Rejects with a usage error that lists such calls. */
export async function requireUnknown(db: Durable, { id, status }: RecordedRun, callId: string): Promise<WaitingCall> {
  const calls = (await db.waiting(id)).filter(({ kind }) => kind === 'unknown');
  const found = calls.find((each) => each.callId === callId);
  if (found !== undefined) return found;
  if (calls.length === 0) throw usageError(`No call of run "${shown(id)}" has an unknown outcome: it is ${status}.`);
  throw usageError(
    `No call "${shown(callId)}" of run "${shown(id)}" has an unknown outcome. These do: ${listOf(calls)}.`,
  );
}

function listOf(calls: readonly WaitingCall[]): string {
  const named = calls.slice(0, MAX_LISTED).map((each) => `${shown(each.callId)} (${oneLine(each.call.name, 64)})`);
  return named.join(', ');
}

function shown(id: string): string {
  return oneLine(id, MAX_ID);
}
