import type { CallView } from '../../sessions/transcript.ts';

/** What went wrong with a call, in a word or two; undefined if nothing did. */
export function failureOf({ isError, outcome, durationMs, startMs }: CallView): string | undefined {
  if (isError) return outcome ?? 'failed';
  if (durationMs === undefined) return startMs === undefined ? 'not begun' : 'no result';
  return undefined;
}
