import type { RunEnd } from '@kernel/protocol';
import type { SessionRecord } from './session-record.ts';

/** How a run ended, in a word or two, by the reason of its `run-end`. */
const TEXTS = {
  done: 'answered',
  handled: 'answered',
  aborted: 'interrupted',
  error: 'failed',
  limit: 'at a limit',
  length: 'cut short',
  filtered: 'filtered',
  loop: 'in a loop',
  approval: 'waits for approval',
} satisfies Record<RunEnd['reason'], string>;

const BY_REASON: ReadonlyMap<string, string> = new Map(Object.entries(TEXTS));

/** How a run ended, in a word or two; one without an end goes on, or the program was ended. */
export function endText(reason: string | undefined): string {
  return reason === undefined ? 'cut off' : (BY_REASON.get(reason) ?? reason);
}

/** The state of a session, in a word or two. */
export function stateText({ state, writer }: SessionRecord, isRunning: (mark: string) => boolean): string {
  if (writer !== undefined && isRunning(writer)) return 'open';
  return endText(state === 'begun' ? undefined : state);
}
