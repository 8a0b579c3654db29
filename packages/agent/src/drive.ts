import {
  addUsage,
  type Message,
  textOf,
  toolCallsOf,
  type ToolCall,
  type ToolResultJson,
  type Usage,
} from '@kernel/protocol';
import { callStep } from './calls.ts';
import { answerSoFar, type Ending, endOfAbort, endOfError, endOfReply, limitError } from './ending.ts';
import { createGate } from './gate.ts';
import { freezeMessage, pendingCalls, toToolMessage, withSystem } from './history.ts';
import { createMeter } from './limits.ts';
import { type ModelReply, modelStep } from './model-step.ts';
import { offeredTools, screen, type Screening } from './offer.ts';
import type { RunOptions } from './options.ts';
import { planCalls } from './plan.ts';
import { lostResult, repairHistory } from './repair-history.ts';
import { inProcessSteps, runBatch, runStep, type StepContext, toStep } from './steps.ts';

/**
 * The loop: model, calls, results, and again. Emits one `run-end`, last; throws only `LIMIT_REACHED`, by option.
 *
 * Between two batches of steps it waits for nothing, reads no clock and makes no id, so that a door that replays a journal
 * takes it the same way again.
 */
export async function drive(options: RunOptions, context: StepContext): Promise<void> {
  const { signal } = context;
  const { limits = {}, steps = inProcessSteps } = options;
  const messages: Message[] = repairHistory(withSystem(options.messages, options.system)).map(freezeMessage);
  const meter = createMeter(limits);
  const gate = createGate(limits.parallel);
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let turns = 0;

  async function askModel(offerTools: boolean): Promise<ModelReply> {
    turns += 1;
    const step = modelStep(context, options, { number: turns, messages: [...messages], offerTools });
    const reply = await runStep<ModelReply>(steps, step);
    if (reply.usage !== undefined) usage = addUsage(usage, reply.usage);
    if (reply.message.content.length > 0) messages.push(freezeMessage(reply.message));
    return reply;
  }

  async function runCalls(calls: readonly ToolCall[], screening: Screening): Promise<Ending | undefined> {
    const planned = await planCalls(steps, context, options, { calls, screening, meter });
    if (planned === 'later') return { reason: 'approval', pending: calls };
    const batch = planned.map((call) => callStep(context, options, gate, call));
    const results = await runBatch<ToolResultJson>(steps, batch);
    for (const [index, call] of calls.entries()) messages.push(toToolMessage(call, results[index] ?? lostResult(call)));
    return undefined;
  }

  /** Goes on with the calls that an earlier run left open. */
  async function resume(calls: readonly ToolCall[]): Promise<Ending | undefined> {
    const step = toStep(context, 'resume', { calls }, async (stepSignal) =>
      screen(options, calls, await offeredTools(options, 0, stepSignal)),
    );
    return runCalls(calls, await runStep<Screening>(steps, step));
  }

  async function turn(): Promise<Ending | undefined> {
    if (signal.aborted) return endOfAbort(signal);
    const limit = meter.reached(turns, usage);
    if (limit !== undefined) {
      if (limits.onLimit !== 'answer') return { reason: 'limit', limit, ...answerSoFar(messages) };
      const answer = textOf((await askModel(false)).message);
      return { reason: 'limit', limit, ...(answer === '' ? {} : { answer }) };
    }
    const reply = await askModel(true);
    const calls = toolCallsOf(reply.message);
    const ending =
      calls.length === 0 ? endOfReply(reply, options.provider.name) : await runCalls(calls, reply.screening);
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
