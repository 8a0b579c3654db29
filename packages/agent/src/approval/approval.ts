import { linkAbort, MAX_TIMER_MS, untilAborted, errorMessage } from '@kernel/internal';
import {
  type ApprovalDecision,
  type Approve,
  KernelError,
  type RecordedDecision,
  type ToolCall,
} from '@kernel/protocol';

/** Whether an `allow` was given to something else than what has this digest: then it does not count. */
export function isForOther(answer: ApprovalDecision, digest: string): boolean {
  return answer.decision === 'allow' && answer.digest !== undefined && answer.digest !== digest;
}

/** Asks for a decision, for at most `timeoutMs`. Never rejects: whatever goes wrong is a denial with its reason. */
export async function requestDecision(
  approve: Approve,
  request: Parameters<Approve>[0],
  timeoutMs = Infinity,
): Promise<ApprovalDecision> {
  const controller = new AbortController();
  const unlink = linkAbort(request.signal, controller);
  const startedMs = performance.now();
  const stopTimer = startTimer(timeoutMs, () => controller.abort(lateError(timeoutMs)));
  try {
    const asked = Promise.resolve<unknown>(approve({ ...request, signal: controller.signal }));
    const answer = await untilAborted(asked, controller.signal);
    // An approval that blocks the thread keeps the timer from firing.
    if (performance.now() - startedMs >= timeoutMs) {
      controller.abort(lateError(timeoutMs));
      throw controller.signal.reason;
    }
    return isDecision(answer) ? answer : { decision: 'deny', reason: 'The approval returned no valid decision.' };
  } catch (error) {
    if (KernelError.is(error, 'TOOL_DENIED')) return { decision: 'deny', reason: errorMessage(error) };
    return { decision: 'deny', reason: `The approval failed: ${errorMessage(error)}` };
  } finally {
    stopTimer();
    unlink();
  }
}

/** The error of a call that was not allowed. */
export function deniedError(call: ToolCall, reason: string): KernelError {
  return new KernelError('TOOL_DENIED', `"${call.name}" was not allowed: ${reason}`);
}

/** Throws `CONFIG_INVALID` for a time that no clock can keep. */
export function checkApprovalTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return;
  throw new KernelError('CONFIG_INVALID', `approvalTimeoutMs is ${timeoutMs}.`, {
    hint: 'Pass a number of milliseconds above 0; leave it out, or pass Infinity, to wait as long as it takes.',
  });
}

export function isRecordedDecision(value: unknown): value is RecordedDecision {
  return isDecision(value) && value.decision !== 'later';
}

function lateError(timeoutMs: number): KernelError {
  return new KernelError('TOOL_DENIED', `no decision came within ${timeoutMs} ms (approvalTimeoutMs).`);
}

/** Starts a timer of any length; a single one of Node ends at 2^31-1 ms. Returns a function that stops it. */
function startTimer(timeoutMs: number, onEnd: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, MAX_TIMER_MS);
    timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : onEnd()), stepMs);
  };
  if (timeoutMs !== Infinity) wait(timeoutMs);
  return () => clearTimeout(timer);
}

function isDecision(value: unknown): value is ApprovalDecision {
  if (typeof value !== 'object' || value === null || !('decision' in value)) return false;
  switch (value.decision) {
    case 'allow':
    case 'later':
      return true;
    case 'deny':
      return 'reason' in value && typeof value.reason === 'string';
    case 'edit':
      return 'arguments' in value && typeof value.arguments === 'string';
    default:
      return false;
  }
}
