import { bindDecision, type Decision, type OutcomeResolution } from '@kernel/protocol';
import { TerminalError, TimeoutError, type WorkflowSharedContext } from '@restatedev/restate-sdk';
import {
  type EventPage,
  FINAL,
  type Outcome,
  promiseNames,
  roundKey,
  type RunEndRecord,
  type RunState,
  type Signal,
  type Wait,
} from '../run-state.ts';

export interface Answer {
  readonly kind: Wait['kind'];
  readonly callId: string;
  readonly answer: Decision | OutcomeResolution;
}

export interface EventsRequest {
  readonly page: number;
  readonly waitMs: number;
}

export interface OutcomeRequest {
  readonly waitMs: number;
}

/** Keeps the first answer for a call. A decision on a call that waits is bound to it as it is then. Returns whether this one counts. */
export async function answerCall(context: WorkflowSharedContext, { kind, callId, answer }: Answer): Promise<boolean> {
  if (isOver(await context.get<RunState>('run'))) return false;
  const round = (await context.get<number>(roundKey(kind, callId))) ?? 1;
  const waits = (await context.get<readonly Wait[]>('waits')) ?? [];
  const waiting = waits.find((wait) => wait.kind === kind && wait.callId === callId);
  const bound = kind === 'approval' ? bindDecision(answer, waiting?.call) : answer;
  return complete(context, promiseNames.answer(kind, callId, round), bound);
}

/** Sends a signal to a run, even before it begins. Returns false if the run has finished. */
export async function sendSignal(context: WorkflowSharedContext, signal: Signal): Promise<boolean> {
  if (isOver(await context.get<RunState>('run'))) return false;
  let number = (await context.get<number>('signals')) ?? 1;
  // Another signal may have come first.
  while (!(await complete(context, promiseNames.signal(number), signal))) number += 1;
  return true;
}

/** Retries a run that failed. Returns false for any other, and if another retry came first. */
export async function retryRun(context: WorkflowSharedContext): Promise<boolean> {
  const run = await context.get<RunState>('run');
  return run?.status === 'failed' && complete(context, promiseNames.retry(run.round), true);
}

export async function readEvents(
  context: WorkflowSharedContext,
  { page, waitMs }: EventsRequest,
): Promise<EventPage | null> {
  return (await waitFor<EventPage>(context, promiseNames.events(page), waitMs)) ?? null;
}

export async function readOutcome(context: WorkflowSharedContext, { waitMs }: OutcomeRequest): Promise<Outcome> {
  const run = await context.get<RunState>('run');
  const isRetried =
    run?.status === 'failed' && (await context.promise(promiseNames.retry(run.round)).peek()) !== undefined;
  const name = promiseNames.end((run?.round ?? 1) + (isRetried ? 1 : 0));
  const end = await waitFor<RunEndRecord>(context, name, isOver(run) && !isRetried ? 0 : waitMs);
  // `run` was read when this handler began, so `end` is newer.
  return end ?? (run === null ? {} : { run });
}

async function waitFor<T>(context: WorkflowSharedContext, name: string, waitMs: number): Promise<T | undefined> {
  const promise = context.promise<T>(name);
  const known = await promise.peek();
  if (known !== undefined || waitMs <= 0) return known;
  try {
    return await promise.get().orTimeout(waitMs);
  } catch (error) {
    if (error instanceof TimeoutError) return undefined;
    throw error;
  }
}

async function complete(context: WorkflowSharedContext, name: string, value: unknown): Promise<boolean> {
  const promise = context.promise<unknown>(name);
  if ((await promise.peek()) !== undefined) return false;
  try {
    await promise.resolve(value);
    return true;
  } catch (error) {
    if (error instanceof TerminalError) return false;
    throw error;
  }
}

function isOver(run: RunState | null): boolean {
  return run !== null && FINAL.has(run.status);
}
