/**
 * Why a reply ended, in one set for all vendors. With `length`, `content-filter` and `refusal`, no call of the reply can run. With `paused`, the vendor has
 * stopped in the middle of its own tools: it continues when it gets its reply back as the last message.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'paused' | 'length' | 'content-filter' | 'refusal' | 'other';

/** What stopped a run before its answer was complete: the finish reason of its last reply, a loop, or the caller. */
export type StopReason = 'length' | 'filtered' | 'loop' | 'aborted';

/** What a finish reason means to a run. */
interface FinishMeaning {
  /** Whether no call of the reply can run: the reply is not complete. */
  readonly dropsCalls: boolean;
  /** How a run ends with a reply without calls. */
  readonly ends: 'done' | StopReason;
}

/** Every finish reason, with what it means. */
export const FINISH_REASONS: Readonly<Record<FinishReason, FinishMeaning>> = {
  stop: { dropsCalls: false, ends: 'done' },
  'tool-calls': { dropsCalls: false, ends: 'done' },
  paused: { dropsCalls: false, ends: 'done' },
  length: { dropsCalls: true, ends: 'length' },
  'content-filter': { dropsCalls: true, ends: 'filtered' },
  refusal: { dropsCalls: true, ends: 'filtered' },
  other: { dropsCalls: false, ends: 'done' },
};

/** Whether no call of a reply that ended for this reason can run: the reply is not complete. */
export function dropsCalls(finishReason: FinishReason): boolean {
  return meaningOf(finishReason).dropsCalls;
}

/** How a run ends with a reply that ended for this reason and has no calls. */
export function runEndOf(finishReason: FinishReason): 'done' | StopReason {
  return meaningOf(finishReason).ends;
}

/** A provider of one's own may give any text as the reason. */
function meaningOf(finishReason: FinishReason): FinishMeaning {
  return Object.hasOwn(FINISH_REASONS, finishReason) ? FINISH_REASONS[finishReason] : FINISH_REASONS.other;
}
