import { isToolResult, type PreparedCall, type ToolCall, type ToolResult } from '@kernel/protocol';
import { needsApproval } from '../approval/approval.ts';
import { callDigest } from '../approval/call-digest.ts';
import { prepareCall } from './call-border.ts';
import { beginTurnOfCalls, callContextOf } from './offered-tools.ts';
import type { Run } from './run-state.ts';

/** A call of a reply, and what was prepared of it: kept in this process, by the id of the call, until it has run. */
export interface ReadyCall {
  readonly call: ToolCall;
  readonly prepared: PreparedCall | ToolResult;
  /** The digest of the tool and the arguments, once it was needed. */
  digest: string | undefined;
}

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
