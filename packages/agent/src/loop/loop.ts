import { addUsage, type Message, textOf, toolCallsOf, type ToolCall, type Usage } from '@kernel/protocol';
import { type CallOutput, callStep } from './tool-calls.ts';
import { answerSoFar, type Ending, endOfAbort, endOfError, endOfReply, limitError } from './run-end.ts';
import { createGate } from '../limits/semaphore.ts';
import { freezeMessage, pendingCalls, toToolMessage, withSystem } from '../history/messages.ts';
import { createInbox } from './inbox.ts';
import { createMeter } from '../limits/run-limits.ts';
import { createLoopGuard } from '../limits/loop-guard.ts';
import { type ModelReply, modelStep } from './model-turn.ts';
import { offeredTools, screen, type Screening } from './offered-tools.ts';
import type { RunOptions } from '../options.ts';
import { planCalls } from './prepare-calls.ts';
import { lostResult, repairHistory } from '../history/repair-history.ts';
import { inProcessSteps, runBatch, runStep, type StepContext, toStep } from './steps.ts';

/**
 * The loop: model, calls, results, and again. Emits one `run-end`, last; throws only `LIMIT_REACHED`, by option.
 *
 * Between two batches of steps it waits for nothing, reads no clock and makes no id, so that a door that replays a journal
 * takes it the same way again.
 */
export async function drive(options: RunOptions, context: StepContext): Promise<void> {
  const { signal } = context;
  const { limits = {}, steps = inProcessSteps, steering } = options;
  const messages: Message[] = repairHistory(withSystem(options.messages, options.system)).map(freezeMessage);
  const begun = messages.length;
  const callIds = new Set(messages.flatMap(toolCallsOf).map((call) => call.id));
  const inbox = createInbox(steering);
  const meter = createMeter(limits);
  const guard = limits.repeats === false ? undefined : createLoopGuard(limits.repeats);
  const room = { gate: createGate(limits.parallel), inbox };
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let turns = 0;
  let hasAsync = false;

  const add = (...added: readonly Message[]): void => void messages.push(...added.map(freezeMessage));

  function count(...used: readonly (Usage | undefined)[]): void {
    for (const one of used) if (one !== undefined) usage = addUsage(usage, one);
  }

  async function askModel(offerTools: boolean): Promise<ModelReply> {
    turns += 1;
    const step = modelStep(context, options, { number: turns, messages: [...messages], callIds, offerTools, inbox });
    const reply = await runStep<ModelReply>(steps, step);
    count(reply.usage, reply.receivedUsage);
    add(...reply.received);
    if (reply.message.content.length > 0) add(reply.message);
    for (const call of toolCallsOf(reply.message)) callIds.add(call.id);
    return reply;
  }

  async function runCalls(calls: readonly ToolCall[], screening: Screening): Promise<Ending | undefined> {
    const planned = await planCalls(steps, context, options, { calls, screening, meter, guard });
    if (planned === 'later') return { reason: 'approval', pending: calls };
    const batch = planned.map((call) => callStep(context, options, room, call));
    const results = await runBatch<CallOutput>(steps, batch);
    count(...results.map((output) => output.usage));
    const outcomes = calls.map((call, index) => [call, results[index]?.result ?? lostResult(call)] as const);
    const notes = guard?.record(outcomes);
    for (const [call, result] of outcomes) {
      hasAsync ||= result.async === true;
      add(toToolMessage(call, result, notes?.get(call.id)));
    }
    const answer = results.find(({ handled }) => handled !== undefined)?.handled;
    if (answer !== undefined) return { reason: 'handled', answer };
    return guard?.isLooping() === true ? { reason: 'loop', ...answerSoFar(messages.slice(begun)) } : undefined;
  }

  /** Goes on with the calls that an earlier run left open. */
  async function resume(calls: readonly ToolCall[]): Promise<Ending | undefined> {
    const step = toStep(context, 'resume', { calls }, async (stepSignal) =>
      screen(options, calls, await offeredTools(options, 0, stepSignal)),
    );
    const ending = await runCalls(calls, await runStep<Screening>(steps, step));
    // Some calls of the same message may have had results before: put all in call order.
    messages.splice(0, messages.length, ...repairHistory(messages));
    return ending;
  }

  /** Ends the run with an answer, unless something came in that must be answered first. */
  async function finish(reply: ModelReply): Promise<Ending | undefined> {
    const ending = endOfReply(reply, options.provider.name);
    if (ending.reason !== 'done' || (steering === undefined && !hasAsync)) return ending;
    const step = toStep(context, `inbox:${turns}`, {}, async () => ({ received: inbox.takeAfterAnswer() }));
    const { received } = await runStep<{ readonly received: readonly Message[] }>(steps, step);
    if (received.length === 0) return ending;
    void context.emit({ type: 'steer', messages: received });
    add(...received);
    return undefined;
  }

  async function turn(): Promise<Ending | undefined> {
    if (signal.aborted) return endOfAbort(signal);
    if (steering?.pending.isStopping === true) return { reason: 'aborted', ...answerSoFar(messages.slice(begun)) };
    const limit = meter.reached(turns, usage);
    if (limit !== undefined) {
      if (limits.onLimit !== 'answer') return { reason: 'limit', limit, ...answerSoFar(messages.slice(begun)) };
      const answer = textOf((await askModel(false)).message);
      return { reason: 'limit', limit, ...(answer === '' ? {} : { answer }) };
    }
    const reply = await askModel(true);
    const calls = toolCallsOf(reply.message);
    const ending = calls.length === 0 ? await finish(reply) : await runCalls(calls, reply.screening);
    void context.emit({ type: 'turn-end', turn: turns });
    return ending;
  }

  async function untilEnd(): Promise<Ending> {
    const left = pendingCalls(messages);
    let ending = left.length > 0 ? await resume(left) : undefined;
    while (ending === undefined) ending = await turn();
    return ending;
  }

  const ending = await untilEnd().catch((error: unknown) => endOfError(error, signal));
  const end = { type: 'run-end' as const, ...ending, turns, messages: Object.freeze(messages), usage };
  void context.emit(end);
  if (end.reason === 'limit' && limits.onLimit === 'throw') throw limitError(end);
}
