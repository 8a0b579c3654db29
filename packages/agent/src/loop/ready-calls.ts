import {
  isToolResult,
  KernelError,
  type PreparedCall,
  toErrorResult,
  type ToolCall,
  type ToolResult,
} from '@kernel/protocol';
import { deniedError, needsApproval } from '../approval/approval.ts';
import { callDigest } from '../approval/call-digest.ts';
import { cancelledResult, prepareCall } from './call-border.ts';
import { beginTurnOfCalls, callContextOf } from './offered-tools.ts';
import type { ReadyCall, Run } from './run-state.ts';

/** Prepares a call and keeps what came of it. Only steps may call this, and only in a turn that has begun. Never rejects. */
export function makeReady(
  run: Run,
  call: ToolCall,
  idempotencyKey: string,
  signal: AbortSignal,
): ReadyCall | Promise<ReadyCall> {
  const prepared = prepareCall(run.offered.tools, call, callContextOf(run.offered, signal, idempotencyKey));
  return prepared instanceof Promise ? prepared.then((each) => keep(run, call, each)) : keep(run, call, prepared);
}

function keep({ ready }: Run, call: ToolCall, prepared: PreparedCall | ToolResult): ReadyCall {
  const kept = { call, prepared, digest: undefined };
  ready.set(call.id, kept);
  return kept;
}

/** Returns what was prepared of a call, or prepares it again where another process did, after its turn has begun in this one. Rejects on abort. */
export function readyCall(
  run: Run,
  call: ToolCall,
  idempotencyKey: string,
  signal: AbortSignal,
): ReadyCall | Promise<ReadyCall> {
  const known = run.ready.get(call.id);
  if (known?.call.name === call.name && known.call.arguments === call.arguments) return known;
  const begun = beginTurnOfCalls(run.offered, signal);
  return begun === undefined
    ? makeReady(run, call, idempotencyKey, signal)
    : begun.then(() => makeReady(run, call, idempotencyKey, signal));
}

/** Whether somebody must allow a prepared call: as it says itself, or if there is somebody to ask and it does not only read. */
export function needsDecision({ approval }: Run, prepared: PreparedCall): boolean {
  return prepared.needsApproval ?? (approval !== undefined && needsApproval(prepared.tool));
}

/** Returns the digest of what would run; undefined for a call that cannot. */
export function digestOf(ready: ReadyCall): string | undefined {
  const { prepared } = ready;
  if (isToolResult(prepared)) return undefined;
  return (ready.digest ??= callDigest(prepared.tool, prepared.arguments));
}

/** Returns what is to run of a call, or the result of one that must not: it cannot run, or is not what was allowed. Rejects only before an abort. */
export function allowedCall(
  run: Run,
  call: ToolCall,
  idempotencyKey: string,
  allowedDigest: string | undefined,
  signal: AbortSignal,
): PreparedCall | ToolResult | Promise<PreparedCall | ToolResult> {
  const check = (ready: ReadyCall): PreparedCall | ToolResult => {
    const { prepared } = ready;
    if (isToolResult(prepared)) return prepared;
    // What was allowed holds where nobody need be asked any more, too.
    if (allowedDigest !== undefined) return digestOf(ready) === allowedDigest ? prepared : changedResult(call);
    if (!needsDecision(run, prepared)) return prepared;
    return run.approval === undefined ? unaskedResult(call) : changedResult(call);
  };
  const ready = readyCall(run, call, idempotencyKey, signal);
  if (!(ready instanceof Promise)) return check(ready);
  return ready.then(check).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return cancelledResult(call, 'cancelled', 'it was not started');
  });
}

function unaskedResult(call: ToolCall): ToolResult {
  return toErrorResult(deniedError(call, 'it needs approval, and nobody can be asked.'), 'denied');
}

function changedResult(call: ToolCall): ToolResult {
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" did not run: what was allowed has changed since.`, {
    hint: 'Call it again to be asked about what it is now.',
  });
  return toErrorResult(error, 'skipped');
}
