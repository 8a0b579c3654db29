import {
  addUsage,
  type Message,
  type PendingCall,
  type SuspendedCall,
  toModelText,
  toolCallsOf,
  type ToolCall,
  type Usage,
} from '@kernel/protocol';
import { callIdsOf } from '../history/call-ids.ts';
import { freezeMessage, toToolMessage } from '../history/messages.ts';
import { pendingCalls } from '../history/pending-calls.ts';
import { initialHistory, repairHistory } from '../history/repair-history.ts';
import { suspendedCalls, withSuspendedCalls } from '../history/suspended-calls.ts';
import { reportedUsage } from '../limits/usage-meter.ts';
import type { RunOptions } from '../options.ts';
import type { CallBatch } from '../calls/call-batch.ts';
import { type ModelOutput, modelStep, type StoppedTurn } from '../turn/model-turn.ts';
import { prepareCalls } from '../calls/prepare-calls.ts';
import {
  closed,
  limitError,
  outcomeOfAbort,
  outcomeOfError,
  outcomeOfReply,
  withDroppedAnswer,
  partialAnswer,
  type RunOutcome,
} from './run-end.ts';
import type { Received } from './inbox.ts';
import { inboxStep } from './inbox-step.ts';
import { createRunResources } from './run-resources.ts';
import { createPauses } from './pauses.ts';
import { answerStep, type GivenAnswer } from '../output/output-step.ts';
import { createAnswerSteps } from '../output/answer-steps.ts';
import { checkFailed } from '../output/output-schema.ts';
import type { TypedOutput } from '../output/typed-output.ts';
import { createStep, runBatch, runStep, type StepContext } from './steps.ts';
import { type CallOutput, callStep, resultsOf } from '../calls/tool-calls.ts';

const NOTHING_KEPT: ReadonlyMap<string, SuspendedCall> = new Map();

/**
 * The loop: model, calls, results, and again. Emits one `run-end`, last; throws only `LIMIT_REACHED`, by option.
 *
 * Between two batches of steps it waits for nothing, reads no time and makes nothing random, so that an executor that replays a journal
 * leads it along the same path.
 */
export async function runLoop(options: RunOptions, context: StepContext, output?: TypedOutput): Promise<void> {
  const { signal } = context;
  const { provider, limits = {}, steering } = options;
  const {
    steps,
    scope,
    inbox,
    meter,
    guard,
    turnTools,
    model,
    policy,
    calls: resources,
  } = createRunResources(options, output);
  const messages: Message[] = initialHistory(options.messages, options.system);
  const inputLength = messages.length;
  const callIds = callIdsOf(messages);
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let turns = 0;
  let hasAsyncCalls = false;
  const pauses = createPauses();

  const append = (...added: readonly Message[]): void => void messages.push(...added.map(freezeMessage));
  const answers = output && createAnswerSteps(output, steps, context, append);
  const answerSoFar = (): { answer?: string } => partialAnswer(messages.slice(inputLength));

  function count(...used: readonly (Usage | undefined)[]): void {
    for (const each of used) if (each !== undefined) usage = addUsage(usage, reportedUsage(each));
  }

  /** Asks the model. Undefined: the run is to stop. */
  async function askModel(offersTools: boolean): Promise<ModelOutput | undefined> {
    turns += 1;
    const sent = [...messages];
    const turn = { number: turns, messages: sent, callIds, usage, offersTools, isPaused: pauses.isOpen(turns) };
    const reply = await runStep<ModelOutput | StoppedTurn>(steps, modelStep(context, model, turn));
    if ('isStopped' in reply) {
      turns -= 1;
      return undefined;
    }
    turnTools.enter(turns);
    inbox.recordTaken(reply);
    count(reply.usage, reply.receivedUsage);
    append(...reply.received);
    if (reply.message.content.length > 0) append(reply.message);
    for (const call of toolCallsOf(reply.message)) callIds.add(call.id);
    meter.countBelow(reply.receivedUsage, reply.receivedEstimate);
    meter.countReply(reply.usage, sent, reply.message);
    return reply;
  }

  async function runCalls(
    calls: readonly ToolCall[],
    batch: CallBatch,
    kept: ReadonlyMap<string, SuspendedCall> = NOTHING_KEPT,
  ): Promise<RunOutcome | undefined> {
    const made = await prepareCalls(steps, context, policy, calls, batch, kept);
    if ('pending' in made) return wait(made.suspended, made.pending);
    const outputs = await runBatch<CallOutput>(
      steps,
      made.prepared.map((call) => callStep(context, resources, call)),
    );
    count(...outputs.map((each) => each.usage));
    for (const each of outputs) meter.countBelow(each.usage, each.estimated);
    const suspended = outputs.flatMap((each) => each.suspended ?? []);
    const outcomes = resultsOf(calls, outputs);
    const notes = guard?.record(outcomes);
    for (const [call, result] of outcomes) {
      if (result.async === true) {
        hasAsyncCalls = true;
        inbox.addAsync(call);
      }
      append(toToolMessage(call, result, notes?.get(call.id)));
    }
    if (suspended.length > 0)
      return wait(
        suspended,
        outputs.flatMap((each) => each.pending ?? []),
      );
    const stopped = outputs.findIndex(({ handled }) => handled !== undefined);
    const answer = outputs[stopped]?.handled;
    const isTyped = output?.isAnswer(calls[stopped]?.name ?? '') === true;
    if (answer !== undefined && isTyped)
      append((await runStep<GivenAnswer>(steps, answerStep(context, turns, answer))).message);
    if (answer !== undefined) return { reason: isTyped ? 'done' : 'handled', answer };
    const refused = outcomes.find(([call, result]) => output?.isAnswer(call.name) === true && result.isError === true);
    if (refused?.[1].code === 'CONFIG_INVALID') throw checkFailed(toModelText(refused[1]));
    const failure = refused && answers?.reject([toModelText(refused[1])], refused[0].arguments);
    if (failure !== undefined) return failure;
    return undefined;
  }

  /** Keeps in the history what is known of calls that wait, and ends the run. */
  function wait(suspended: readonly SuspendedCall[], pending: readonly PendingCall[]): RunOutcome {
    const index = messages.findLastIndex((message) => message.role === 'assistant');
    const message = messages[index];
    if (message?.role === 'assistant') messages[index] = freezeMessage(withSuspendedCalls(message, suspended));
    return { reason: 'approval', pending };
  }

  /** Runs the calls that an earlier run left pending. */
  async function resume(calls: readonly ToolCall[]): Promise<RunOutcome | undefined> {
    const step = createStep(
      context,
      { id: 'resume', kind: 'resume', input: { calls } },
      async ({ signal: stepSignal }): Promise<CallBatch> => {
        const made = model.createBatch(calls, await model.offeredTools(0, stepSignal));
        const waiting = inbox.waiting();
        return waiting === 0 ? made : { ...made, waiting };
      },
    );
    const kept = suspendedCalls(messages.findLast((message) => message.role === 'assistant'));
    const batch = await runStep<CallBatch>(steps, step);
    inbox.allowWaiting(batch.waiting ?? 0);
    const outcome = await runCalls(calls, batch, kept);
    inbox.allowWaiting(0);
    messages.splice(0, messages.length, ...repairHistory(messages).map(freezeMessage)); // restores the order of the calls
    return outcome;
  }

  /** Ends the run with the reply's answer, unless a message came in that must be answered first. `ending` is why it is to end anyway. */
  async function finish(reply: ModelOutput, ending: RunOutcome | undefined): Promise<RunOutcome | undefined> {
    if (pauses.record(reply, turns)) return undefined;
    const given = withDroppedAnswer(reply, output);
    const replied = pauses.join(outcomeOfReply(given, reply.asked?.provider ?? provider.name), turns);
    const isTyped = replied.reason === 'done' && answers !== undefined && reply.outputMode !== undefined;
    const outcome = isTyped ? await answers.read(turns, reply.outputMode, replied) : replied;
    if (outcome === undefined) return undefined;
    if (ending !== undefined) return closed(ending, outcome, replied.reason === 'done');
    if (outcome.reason !== 'done' || (steering === undefined && !hasAsyncCalls)) return outcome;
    const taken = await runStep<Received>(steps, inboxStep(context, inbox, turns));
    inbox.recordTaken(taken);
    if (taken.received.length === 0) return outcome;
    append(...taken.received);
    return undefined;
  }

  async function runTurn(): Promise<RunOutcome | undefined> {
    if (signal.aborted) return { ...outcomeOfAbort(signal), ...answerSoFar() };
    const limit = meter.reachedLimit(turns, usage);
    const isLooping = guard?.isLooping() === true;
    const ending: RunOutcome | undefined = isLooping ? { reason: 'loop' } : limit && { reason: 'limit', limit };
    if (ending !== undefined && limits.onLimit !== 'answer') return { ...ending, ...answerSoFar() };
    const reply = await askModel(ending === undefined);
    if (reply === undefined) return { reason: 'aborted', ...answerSoFar() };
    const calls = toolCallsOf(reply.message);
    const outcome = calls.length === 0 ? await finish(reply, ending) : await runCalls(calls, reply.batch);
    if (outcome?.reason !== 'approval') void context.emit({ type: 'turn-end', turn: turns }); // it is not over while calls wait
    return outcome;
  }

  async function runTurns(): Promise<RunOutcome> {
    const pending = pendingCalls(messages);
    let outcome = pending.length > 0 ? await resume(pending) : undefined;
    while (outcome === undefined) outcome = await runTurn();
    return outcome;
  }

  const endOf = (error: unknown): RunOutcome =>
    signal.aborted ? { ...outcomeOfAbort(signal), ...answerSoFar() } : outcomeOfError(error, signal);
  const ended = await runTurns().catch(endOf);
  const outcome = answers === undefined ? ended : await answers.complete(turns, ended).catch(endOf);
  const estimated = meter.estimated();
  if (estimated !== undefined) scope?.addEstimate(estimated);
  const end = { type: 'run-end' as const, ...outcome, turns, messages: Object.freeze(messages), usage };
  void context.emit(end);
  if (end.reason === 'limit' && limits.onLimit === 'throw') throw limitError(end);
}
