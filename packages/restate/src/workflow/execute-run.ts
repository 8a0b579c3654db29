import { jsonDigest } from '@kernel/internal';
import { randomUUID } from 'node:crypto';
import {
  decisionFor,
  type AgentEvent,
  type Approve,
  type DurableAgent,
  KernelError,
  type RunEnd,
  type DurableContext,
  type RunResultJson,
  STEP_FORMAT,
} from '@kernel/protocol';
import { RestatePromise, type WorkflowContext } from '@restatedev/restate-sdk';
import { promiseNames, type RunEndRecord, type StartInput } from '../run-state.ts';
import { createEventLog, type EventLog } from './event-log.ts';
import { createHalt } from './halt.ts';
import { createJournalSteps } from './journal-steps.ts';
import { openJournal } from './journal.ts';
import { createCallAnswers, type CallAnswers } from './call-answers.ts';
import { createRunStatus, type RunStatusWriter } from './run-status.ts';
import { createSignalSteering } from './signals.ts';
import { toJson } from './step-record.ts';

/** The handler `run` of an agent's workflow. A run that fails waits for `retry` before the workflow ends. */
export async function executeRun(
  context: WorkflowContext,
  agent: DurableAgent,
  start: StartInput,
  retryWindowMs: number,
): Promise<void> {
  let controller = new AbortController();
  const { attemptCompletedSignal } = context.request();
  const abandon = (): void => controller.abort(new KernelError('TOOL_CANCELLED', 'The attempt at the run is over.'));
  attemptCompletedSignal.addEventListener('abort', abandon, { once: true });
  const steering = createSignalSteering();
  const journal = openJournal(context, (signal) => {
    if (signal.kind === 'cancel') controller.abort(new KernelError('TOOL_CANCELLED', 'The run was cancelled.'));
    else steering.receive(signal);
  });
  const halt = createHalt(attemptCompletedSignal);
  const version = agent.version ?? '1';
  const begun = await journal.until(
    journal.once('begin', () => ({ at: Date.now(), version, format: STEP_FORMAT, inputDigest: jsonDigest(start) })),
  );
  if (begun.format !== STEP_FORMAT)
    throw halt.block(`its journal has step format ${begun.format}, but this code uses ${STEP_FORMAT}.`);
  if (begun.version !== version && agent.accepts?.includes(begun.version) !== true)
    throw halt.block(`it began on version ${begun.version} of the agent, but this is version ${version}.`);
  if (start.deadlineAt !== undefined) journal.cancelAt(start.deadlineAt, begun.at);
  const status = createRunStatus(context, { ...begun, createdAt: begun.at });
  const log = createEventLog(context);
  const answers = createCallAnswers(context, journal, status, agent);
  const steps = createJournalSteps({
    journal,
    answers,
    agent,
    steering,
    log,
    status,
    halt,
    attemptId: randomUUID(),
  });

  for (let round = 1; ; round += 1) {
    status.set('running', round);
    const { signal } = controller;
    const approve = agent.approve && withAnswers(agent.approve, answers);
    const durableContext: DurableContext = {
      messages: start.messages,
      runId: context.key,
      signal,
      approve,
      steering,
      steps,
    };
    const result = await Promise.race([runAgent(agent, durableContext, start, { log, status }), halt.ended]);
    // The result of an attempt that is over must not count.
    if (attemptCompletedSignal.aborted) await halt.never();
    const ended = result === 'cancelled' ? ABORTED : result;
    const isFailed = ended.reason === 'error' && !journal.isCancelled();
    log.flush(true);
    context.clear('waits');
    const run = status.set(journal.isCancelled() ? 'cancelled' : isFailed ? 'failed' : 'done', round);
    const end: RunEndRecord = { run, result: ended };
    void context.promise<RunEndRecord>(promiseNames.end(round)).resolve(end);
    if (!isFailed) return;
    const retry = context.promise(promiseNames.retry(round)).get();
    const either = RestatePromise.race([
      retry.map(() => true),
      context.sleep(retryWindowMs, 'failed').map(() => false),
    ]);
    if ((await journal.untilCancelled(either)) !== true) return;
    controller = new AbortController();
  }
}

const ABORTED: RunResultJson = { reason: 'aborted' };

async function runAgent(
  agent: DurableAgent,
  context: DurableContext,
  { input }: StartInput,
  { log, status }: { readonly log: EventLog; readonly status: RunStatusWriter },
): Promise<RunResultJson> {
  let end: RunEnd | undefined;
  try {
    for await (const event of agent.run(context, input)) {
      if (event.type === 'run-end') end = event;
      else if (isOfRun(event)) log.add('', [{ at: status.now(), event }]);
    }
  } catch (error) {
    return { reason: 'error', error: toJson(error) };
  }
  if (end === undefined) return { reason: 'error', error: toJson(new Error('The run ended without run-end.')) };
  log.add('', [{ at: status.now(), event: { ...end, messages: [] } }]);
  const { type: _type, ...rest } = end;
  const result: unknown = JSON.parse(
    JSON.stringify(end.reason === 'error' ? { ...rest, error: toJson(end.error) } : rest),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- serialized just now
  return result as RunResultJson;
}

function isOfRun({ type }: AgentEvent): boolean {
  return type === 'turn-end' || type === 'output-rejected';
}

function withAnswers(approve: Approve, answers: CallAnswers): Approve {
  return (request) => {
    const answer = answers.answer('approval', [...request.path, request.call.id].join('/'));
    return typeof answer === 'object' && 'decision' in answer ? decisionFor(answer, request.digest) : approve(request);
  };
}
