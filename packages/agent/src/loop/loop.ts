import {
  type Message,
  type PendingCall,
  type SuspendedCall,
  textOf,
  type ToolCall,
  toolCallsOf,
} from '@kernel/protocol';
import { freezeMessage, toToolMessage } from '../history/messages.ts';
import { lostResult, repairHistory } from '../history/repair-history.ts';
import { pendingCalls, suspendedCalls, withSuspendedCalls } from '../history/suspended-calls.ts';
import { createLoopGuard } from '../limits/loop-guard.ts';
import type { RunOptions } from '../options.ts';
import { decideOnCalls } from './decide-calls.ts';
import { inboxStep, noteBackgroundCall, type Received, recordTaken } from './inbox.ts';
import { type ModelOutput, modelStep, type StoppedTurn } from './model-turn.ts';
import { beginTurn } from './offered-tools.ts';
import { type CallBatch, createCallBatch } from './prepare-calls.ts';
import {
  endingOfAbort,
  endingOfClosingTurn,
  endingOfError,
  endingOfReply,
  limitError,
  recordPause,
  type RunEnding,
  withPausedText,
} from './run-end.ts';
import { addChildUsage } from './run-scope.ts';
import { append, countUsage, createRun, type Run, type TypedOutput } from './run-state.ts';
import { createStep, runBatch, runStep, type StepContext } from './steps.ts';
import { type CallOutput, callStep } from './tool-call.ts';

/**
 * The loop: model, calls, results, and again. Emits one `run-end`, last; throws only `LIMIT_REACHED`, by option.
 *
 * Between two batches of steps it waits for nothing, reads no time and makes nothing random, so that an executor that replays a journal
 * leads it along the same path.
 */
export async function runLoop(options: RunOptions, context: StepContext, output?: TypedOutput): Promise<void> {
  const run = createRun(options, context, output);
  const { signal } = run;
  const endOf = (error: unknown): RunEnding =>
    signal.aborted ? { ...endingOfAbort(signal), ...answerSoFar(run) } : endingOfError(error, signal);
  const ended = await runTurns(run).catch(endOf);
  const ending = output === undefined ? ended : await output.complete(run, ended).catch(endOf);
  if (run.parent !== undefined) addChildUsage(run.parent, undefined, run.meter.estimated());
  const { turns, usage } = run;
  const end = { type: 'run-end' as const, ...ending, turns, messages: Object.freeze(run.messages), usage };
  void run.emit(end);
  if (end.reason === 'limit' && run.limits.onLimit === 'throw') throw limitError(end);
}

async function runTurns(run: Run): Promise<RunEnding> {
  const pending = pendingCalls(run.messages);
  let ending = pending.length > 0 ? await resume(run, pending) : undefined;
  while (ending === undefined) ending = await runTurn(run);
  return ending;
}

/** One turn: the model is asked, and its calls are run, or its answer ends the run. Undefined: another turn follows. */
async function runTurn(run: Run): Promise<RunEnding | undefined> {
  const { signal, limits, meter, guard } = run;
  if (signal.aborted) return { ...endingOfAbort(signal), ...answerSoFar(run) };
  const limit = meter.reachedLimit(run.turns, run.usage);
  const closing: RunEnding | undefined =
    guard?.isLooping() === true ? { reason: 'loop' } : limit && { reason: 'limit', limit };
  if (closing !== undefined && limits.onLimit !== 'answer') return { ...closing, ...answerSoFar(run) };
  run.turns += 1; // a turn that fails counts too
  const messages = [...run.messages];
  const step = modelStep(run, { number: run.turns, messages, offersTools: closing === undefined });
  const reply = await runStep<ModelOutput | StoppedTurn>(run.steps, step);
  if ('isStopped' in reply) {
    run.turns -= 1;
    return { reason: 'aborted', ...answerSoFar(run) };
  }
  const { message, received, receivedEstimate, receivedUsage } = reply;
  run.offered.repliedTurn = run.turns;
  recordTaken(run.inbox, reply);
  countUsage(run, reply.usage);
  countUsage(run, receivedUsage);
  append(run, ...received);
  if (message.content.length > 0) append(run, message);
  const calls = toolCallsOf(message);
  for (const call of calls) run.callIds.add(call.id);
  meter.countChildRuns(receivedUsage, receivedEstimate);
  meter.countReply(reply.usage, messages, message);
  const ending =
    calls.length === 0 ? await finishOrContinue(run, reply, closing) : await runCalls(run, calls, reply.batch);
  if (ending?.reason !== 'approval') void run.emit({ type: 'turn-end', turn: run.turns }); // a turn with pending calls has not ended
  return ending;
}

/** Decides on the calls of a reply, runs them at once, and appends their results in the order of the calls. */
async function runCalls(
  run: Run,
  calls: readonly ToolCall[],
  batch: CallBatch,
  kept: ReadonlyMap<string, SuspendedCall> = new Map(),
): Promise<RunEnding | undefined> {
  const { steps, meter, inbox, output } = run;
  const deciding = decideOnCalls(run, calls, batch, kept);
  const made = deciding instanceof Promise ? await deciding : deciding;
  if ('pending' in made) return endWithPendingCalls(run, made.suspended, made.pending);
  const callSteps = made.decided.map((each) => callStep(run, each));
  const outputs = await runBatch<CallOutput>(steps, callSteps);
  for (const { usage } of outputs) countUsage(run, usage);
  for (const { usage, estimated } of outputs) meter.countChildRuns(usage, estimated);
  const results = calls.flatMap((call, at) => {
    const { result, suspended: isPending } = outputs[at] ?? {};
    return isPending === undefined ? [[call, result ?? lostResult(call)] as const] : [];
  });
  const { repeats } = run.limits;
  if (repeats !== false) run.guard ??= createLoopGuard(repeats);
  const notes = run.guard?.record(results);
  for (const [call, result] of results) {
    if (result.async === true) {
      run.hasAsyncCalls = true;
      noteBackgroundCall(inbox, call);
    }
    append(run, toToolMessage(call, result, notes?.get(call.id)));
  }
  const suspended = outputs.flatMap((each) => each.suspended ?? []);
  const pending = outputs.flatMap((each) => each.pending ?? []);
  if (suspended.length > 0) return endWithPendingCalls(run, suspended, pending);
  const stopped = outputs.find(
    ({ handled }, at) => handled !== undefined && output?.isAnswer(calls[at]?.name ?? '') !== true,
  );
  if (stopped?.handled !== undefined) return { reason: 'handled', answer: stopped.handled };
  if (output === undefined) return undefined;
  const answer = outputs.find(({ handled }) => handled !== undefined)?.handled;
  const ending = await output.endOfCalls(run, results, answer);
  return ending && endUnlessReceived(run, ending);
}

/**
 * Ends the run with the reply's answer, unless the vendor only paused, the answer does not fit, or a message came in that must be answered first: then another
 * turn follows. `closing` is why this was the last turn anyway.
 */
async function finishOrContinue(
  run: Run,
  reply: ModelOutput,
  closing: RunEnding | undefined,
): Promise<RunEnding | undefined> {
  const { options, output, pauses, turns } = run;
  if (recordPause(pauses, reply, turns)) return undefined;
  const answered = output?.withDroppedAnswer(run, reply) ?? reply;
  const asText = withPausedText(pauses, endingOfReply(answered, reply.asked?.provider ?? options.provider.name));
  const { outputMode } = reply;
  const isTyped = asText.reason === 'done' && output !== undefined && outputMode !== undefined;
  const ending = isTyped ? await output.readReply(run, outputMode, asText) : asText;
  if (ending === undefined) return undefined;
  if (closing !== undefined) return endingOfClosingTurn(closing, ending, asText.reason === 'done');
  return endUnlessReceived(run, ending);
}

/** Ends the run, unless it is done and a message came in that must be answered first. */
async function endUnlessReceived(run: Run, ending: RunEnding): Promise<RunEnding | undefined> {
  const { options, inbox, turns } = run;
  if (ending.reason !== 'done' || (options.steering === undefined && !run.hasAsyncCalls)) return ending;
  const taken = await runStep<Received>(run.steps, inboxStep(run, inbox, turns));
  recordTaken(inbox, taken);
  if (taken.received.length === 0) return ending;
  append(run, ...taken.received);
  return undefined;
}

/** Ends the run with its pending calls, after storing in the history what is known of them. */
function endWithPendingCalls(
  { messages }: Run,
  suspended: readonly SuspendedCall[],
  pending: readonly PendingCall[],
): RunEnding {
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const message = messages[index];
  if (message?.role === 'assistant') messages[index] = freezeMessage(withSuspendedCalls(message, suspended));
  return { reason: 'approval', pending };
}

/** Runs the calls that an earlier run left pending: the step `resume` makes their batch. */
async function resume(run: Run, calls: readonly ToolCall[]): Promise<RunEnding | undefined> {
  const { inbox, messages, steps } = run;
  const kept = suspendedCalls(messages.findLast((message) => message.role === 'assistant'));
  const head = { id: 'resume', kind: 'resume', input: { calls } } as const;
  const step = createStep(run, head, async ({ signal }): Promise<CallBatch> => {
    const made = await createCallBatch(run, calls, await beginTurn(run, 0, signal), signal);
    const waiting = inbox.steering?.pending.steer.length ?? 0;
    return waiting === 0 ? made : { ...made, waiting };
  });
  const batch = await runStep<CallBatch>(steps, step);
  inbox.messagesBeforeDecision = batch.waiting ?? 0;
  const ending = await runCalls(run, calls, batch, kept);
  inbox.messagesBeforeDecision = 0;
  const ordered: readonly Message[] = repairHistory(messages);
  messages.splice(0, messages.length, ...ordered.map(freezeMessage)); // restores the order of the calls
  return ending;
}

/** The text of the last reply that the run has added, as the answer so far; empty if there is no such text. */
function answerSoFar({ messages, inputLength }: Run): { answer?: string } {
  const last = messages.slice(inputLength).findLast((message) => message.role === 'assistant');
  const answer = last === undefined ? '' : textOf(last);
  return answer === '' ? {} : { answer };
}
