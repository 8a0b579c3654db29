import {
  isToolResult,
  type PreparedCall,
  type Tool,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
} from '@kernel/protocol';
import { argumentsDigest, callDigest } from '../approval/call-digest.ts';
import { prepareCall } from './call-border.ts';
import { beginTurnOfCalls } from './offered-tools.ts';
import type { Run } from './run-state.ts';
import { inProcessSteps } from './steps.ts';

/** What the step that outputs a reply finds out about its calls. */
export interface CallBatch {
  /** With a call's id it makes the idempotency key: the id of the run or, without one, unique to the batch. */
  readonly key: string;
  /** Whether the calls belong to a child run, whose model is asked once more if the call is repeated after a crash. */
  readonly isNested?: boolean;
  /** The ids of the calls that need a decision first. */
  readonly needApproval: readonly string[];
  /** The ids of the calls of tools that were not on offer, so that nobody could be asked: they never run. */
  readonly notOffered: readonly string[];
  /** The effects by call id, for executors that record steps: by a replay, the tools may have changed. */
  readonly effects?: Readonly<Record<string, ToolEffect>>;
  /** The calls of sub-agents. */
  readonly agents?: readonly string[];
  /** Of calls that an earlier run left pending: how many messages from the user had come in before they go on. */
  readonly waiting?: number;
}

/** A call with the key that is the same for every attempt at it. */
export interface KeyedCall {
  /** The call, with edited arguments if the decision on it was `edit`. */
  readonly call: ToolCall;
  /** Passed to the handler. */
  readonly idempotencyKey: string;
}

/** What a toolset makes of a call: what would run, or the result of a call that cannot. */
export type Prepared = PreparedCall | ToolResult;

/**
 * Prepares calls, all before any is decided on, and creates their batch. Only a step may call this: without a `runId`
 * the key is random, and a journal must repeat it. With `isRestricted`, calls of tools beyond `onOffer` don't run.
 */
export function createCallBatch(
  run: Run,
  calls: readonly ToolCall[],
  onOffer: readonly Tool[],
  signal: AbortSignal,
  isRestricted = false,
): CallBatch | Promise<CallBatch> {
  const head = { key: run.runId ?? crypto.randomUUID(), isNested: run.isChild };
  const making = calls.map((call) =>
    isRestricted && !onOffer.some((tool) => tool.name === call.name)
      ? undefined
      : prepare(run, withKey(head, call), signal),
  );
  return making.some((each) => each instanceof Promise)
    ? Promise.all(making.map((each) => Promise.resolve(each))).then((prepared) =>
        describeCalls(run, head, calls, prepared),
      )
    : describeCalls(run, head, calls, making);
}

/** What a journal needs to know of the calls that are prepared. */
function describeCalls(
  run: Run,
  { key, isNested }: Pick<CallBatch, 'key' | 'isNested'>,
  calls: readonly ToolCall[],
  made: readonly (Prepared | Promise<Prepared> | undefined)[],
): CallBatch {
  const isRecorded = run.steps !== inProcessSteps;
  const needApproval: string[] = [];
  const notOffered: string[] = [];
  const effects: [string, ToolEffect][] = [];
  const agents: string[] = [];
  for (const [at, { id }] of calls.entries()) {
    const prepared = made[at];
    if (prepared === undefined) notOffered.push(id);
    const isRunnable = prepared !== undefined && !(prepared instanceof Promise) && !isToolResult(prepared);
    const runnable = isRunnable ? prepared : undefined;
    if (isRecorded) effects.push([id, runnable?.tool.effect ?? 'external']);
    if (runnable === undefined) continue;
    if (run.options.approve !== undefined && needsDecision(run, runnable)) needApproval.push(id);
    if (runnable.runsAgent === true) agents.push(id);
  }
  return {
    needApproval,
    notOffered,
    key,
    ...(isNested === true && { isNested }),
    ...(isRecorded && { effects: Object.fromEntries(effects), ...(agents.length > 0 && { agents }) }),
  };
}

/**
 * Returns a call of a batch with its key. In a child run the key has a digest of the tool's name and the arguments: the
 * model of a repeated run may ask for something else under the same id.
 */
export function withKey({ key, isNested }: Pick<CallBatch, 'key' | 'isNested'>, call: ToolCall): KeyedCall {
  const ofCall = `${key}:${call.id}`;
  return { call, idempotencyKey: isNested === true ? `${ofCall}:${argumentsDigest(call)}` : ofCall };
}

/** Prepares a call and keeps the outcome. Only steps may call this, in a turn that has begun. Never rejects. */
export function prepare(
  run: Run,
  { call, idempotencyKey }: KeyedCall,
  signal: AbortSignal,
): Prepared | Promise<Prepared> {
  const keep = (prepared: Prepared): Prepared => {
    run.ready.set(call.id, { call, prepared });
    return prepared;
  };
  const { conversation, context } = run.options;
  const { tools, turn } = run.offered;
  const prepared = prepareCall(tools, call, { conversation, context, turn, signal, idempotencyKey });
  return prepared instanceof Promise ? prepared.then(keep) : keep(prepared);
}

/** Returns the prepared call. Begins its turn and prepares it again if another process did. Rejects on abort. */
export function preparedCall(run: Run, keyed: KeyedCall, signal: AbortSignal): Prepared | Promise<Prepared> {
  const { call } = keyed;
  const known = run.ready.get(call.id);
  if (known?.call.name === call.name && known.call.arguments === call.arguments) return known.prepared;
  const begun = beginTurnOfCalls(run, signal);
  return begun instanceof Promise ? begun.then(() => prepare(run, keyed, signal)) : prepare(run, keyed, signal);
}

/** Whether a prepared call needs a decision: as it says, or if it does more than read and somebody can be asked. */
export function needsDecision({ options }: Run, { needsApproval, tool }: PreparedCall): boolean {
  return needsApproval ?? (options.approve !== undefined && tool.effect !== 'read');
}

/** Returns the digest of what would run of a call; undefined for one that cannot. */
export function digestOf(prepared: Prepared, call: ToolCall): string | undefined {
  return isToolResult(prepared) ? undefined : callDigest(prepared.tool, prepared.arguments, call);
}
