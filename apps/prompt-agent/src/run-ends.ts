import type { RunEnd } from '@kernel/protocol';
import { errorNote, EXIT, exitCodeOf } from './exit-code.ts';

interface RunEndText {
  /** The exit code; that of an `error` depends on the error. */
  readonly exit: number;
  /** How a run that is over is listed. */
  readonly state: string;
  /** Why there is no answer. Absent if there is one, or if the message depends on the fields of the end. */
  readonly why?: string;
}

/** All that the program says of how a run ended. */
const RUN_ENDS: Readonly<Record<RunEnd['reason'], RunEndText>> = {
  done: { exit: EXIT.answer, state: 'answered' },
  handled: { exit: EXIT.answer, state: 'answered' },
  aborted: { exit: EXIT.interrupted, state: 'interrupted', why: 'interrupted' },
  error: { exit: EXIT.failed, state: 'failed' },
  limit: { exit: EXIT.limit, state: 'at a limit' },
  length: { exit: EXIT.limit, state: 'cut short', why: 'the reply was cut by its length limit.' },
  filtered: { exit: EXIT.refused, state: 'filtered', why: "the reply was stopped by the vendor's filter." },
  loop: {
    exit: EXIT.loop,
    state: 'in a loop',
    why: 'the model repeated the same calls, so the run was stopped.',
  },
  approval: { exit: EXIT.approval, state: 'waits for approval', why: 'stopped, because calls need approval.' },
};

/** Returns the exit code for a finished run: 0 only for a complete answer. */
export function exitCodeOfRun(end: Pick<RunEnd, 'reason'> & { readonly error?: unknown }, signal: AbortSignal): number {
  return end.reason === 'error' ? exitCodeOf(end.error, signal) : RUN_ENDS[end.reason].exit;
}

/** Why a run has no answer, as a line; undefined if it has one. */
export function whyNoAnswer(end: RunEnd): string | undefined {
  if (end.reason === 'error') return errorNote(end.error);
  if (end.reason === 'limit') return `prompt-agent: the run reached its limit (${end.limit}) before an answer.`;
  const { why } = RUN_ENDS[end.reason];
  return why === undefined ? undefined : `prompt-agent: ${why}`;
}

const STATES: ReadonlyMap<string, RunEndText> = new Map(Object.entries(RUN_ENDS));

export function isAnswered(reason: string | undefined): boolean {
  return reason === 'done' || reason === 'handled';
}

/** How a run ended, in a word or two; one without an end goes on, or the program was ended. */
export function endText(reason: string | undefined): string {
  return reason === undefined ? 'cut off' : (STATES.get(reason)?.state ?? reason);
}
