import { errorMessage } from '@kernel/internal';
import {
  type AgentEvent,
  type ApprovalDecision,
  type Approve,
  decisionFor,
  type DurableAgent,
  KernelError,
} from '@kernel/protocol';
import { type Database } from '../database/database.ts';
import type { Writer } from '../database/group-commit.ts';
import { createEventFilter, logEvents, type NewEvent } from '../runs/events.ts';
import { hasAnsweredCall, toInput } from '../runs/read-run.ts';
import { addMessage, endRun, readAnswer, stopRun } from '../runs/signals.ts';
import type { Claim } from './claim.ts';
import { createHalt } from './halt.ts';
import { holdsLease } from './leases.ts';
import { createRecordedSteps } from './recorded-steps.ts';
import { createDurableSteering } from './steering.ts';

/** How long an agent that is cancelled or aborted may take to end, in milliseconds. Then it is left to itself: what it still does does not count. */
const ABORTED_MS = 5000;
/** How long a run rests whose journal could not be written, in milliseconds. */
const WRITE_RETRY_MS = 1000;

/** An attempt at a run, in progress. */
export type Attempt = ReturnType<typeof startAttempt>;

export function startAttempt(db: Database, writer: Writer, claim: Claim, agent: DurableAgent) {
  const { runId } = claim;
  const halt = createHalt();
  const controller = new AbortController();
  const patience = createPatience(ABORTED_MS);
  const usedAnswers = new Set<string>();
  const isReplay = db.get('SELECT 1 FROM steps WHERE run_id = ?', runId) !== undefined;
  let isLive = false;
  let hasEnded = false;
  let wasInterrupted = false;
  /** Events of the run itself, for the next commit to log. */
  const runEvents: NewEvent[] = [];
  const withoutDuplicates = createEventFilter(db, runId);
  const steering = createDurableSteering(db, runId, {
    message: (queue, message) => void writer.write(() => addMessage(db, runId, queue, message)).catch(ignore),
    stop: () => void writer.write(() => stopRun(db, runId)).catch(ignore),
  });

  const isCancelled = (): boolean =>
    Number(db.get('SELECT is_cancelled FROM runs WHERE id = ?', runId)?.['is_cancelled']) === 1;
  const refresh = (): void => {
    steering.refresh();
    if (!isCancelled()) return;
    patience.begin();
    // A replay that is aborted would go another way than its journal.
    if (isLive || !isReplay) controller.abort(new KernelError('TOOL_CANCELLED', 'The run was cancelled.'));
  };

  const approve = agent.approve && withAnswers(db, runId, agent.approve, usedAnswers);
  const steps = createRecordedSteps({
    db,
    writer,
    lease: claim,
    agent,
    halt,
    usedAnswers,
    takenRows: () => steering.takenRows(),
    withRunEvents: (events) => withRunEvents(events),
    onInterrupted: () => (wasInterrupted = true),
    beforeLiveStep() {
      if (isLive) return;
      isLive = true;
      refresh();
    },
  });

  async function execute(): Promise<RunEndEvent | undefined> {
    const { messages, input } = toInput(claim.input);
    const context = { messages, runId, signal: controller.signal, approve, steering, steps };
    let end: RunEndEvent | undefined;
    let turnEnds = 0;
    let rejections = 0;
    for await (const event of agent.run(context, input)) {
      if (event.type === 'run-end') end = event;
      else if (event.type === 'turn-end') logRunEvent(`turn-end ${(turnEnds += 1)}`, event);
      else if (event.type === 'output-rejected') logRunEvent(`output-rejected ${(rejections += 1)}`, event);
    }
    return end;
  }

  const logRunEvent = (key: string, event: AgentEvent): void => {
    if (!wasInterrupted) runEvents.push({ key, step: '', at: Date.now(), event });
  };
  const withRunEvents = (events: readonly NewEvent[]): readonly NewEvent[] =>
    withoutDuplicates([...runEvents.splice(0), ...events]);

  /** Writes under the lease: nothing if another worker has taken the run over. */
  const underLease = (work: () => void): Promise<void> =>
    writer.write(() => {
      if (holdsLease(db, claim)) work();
    });

  const release = (status: 'queued' | 'waiting' | 'blocked', result?: object): void => {
    const sql = 'UPDATE runs SET status = ?, owner = NULL, is_alone = 0, result = ?, updated_at = ? WHERE id = ?';
    db.run(sql, status, result === undefined ? null : JSON.stringify(result), Date.now(), runId);
  };

  function settle(end: Ended | undefined, failure: unknown): void {
    const cause = halt.cause();
    const endsInterrupted = cause !== undefined && cause !== 'lost' && wasInterrupted;
    if (endsInterrupted && isCancelled()) return endRun(db, runId, 'cancelled', JSON.stringify({ reason: 'aborted' }));
    // A run that ended on its own while its worker drained has ended.
    switch (!wasInterrupted && (cause === 'drained' || cause === 'draining') ? undefined : cause) {
      case 'lost':
        return;
      case 'blocked':
        return release(
          'blocked',
          errorResult(
            new KernelError('STORE_FAILED', halt.reason(), { hint: 'Deploy the previous code, or call retry().' }),
          ),
        );
      case 'write-failed': {
        release('queued');
        db.run('UPDATE runs SET wake_at = ? WHERE id = ?', Date.now() + WRITE_RETRY_MS, runId);
        return;
      }
      case 'drained':
      case 'draining':
        return release('queued');
      case 'waiting':
        return release(hasAnsweredCall(db, runId) ? 'queued' : 'waiting');
      case undefined:
        return finish(end, failure);
    }
  }

  function finish(end: Ended | undefined, failure: unknown): void {
    const wasCancelled = isCancelled();
    if (end === undefined) {
      const error = failure ?? new Error('The run ended without run-end.');
      const result = wasCancelled ? { reason: 'aborted' } : errorResult(error);
      return endRun(db, runId, wasCancelled ? 'cancelled' : 'failed', JSON.stringify(result));
    }
    const { event, result } = end;
    logEvents(db, runId, [{ key: '', step: '', at: Date.now(), event: { ...event, messages: [] } }]);
    endRun(db, runId, wasCancelled ? 'cancelled' : event.reason === 'error' ? 'failed' : 'done', result);
  }

  async function attempt(): Promise<void> {
    let end: Ended | undefined;
    let failure: unknown;
    try {
      const event = await Promise.race([execute(), patience.over]);
      end = event && { event, result: resultText(event) };
    } catch (error) {
      failure = error;
    }
    patience.cancel();
    wasInterrupted ||= patience.isOver();
    hasEnded = true;
    controller.abort();
    // If this cannot be written, whoever takes the run over repeats it.
    const events = withRunEvents([]);
    await underLease(() => {
      logEvents(db, runId, events);
      settle(end, failure);
    }).catch(ignore);
    // An agent that goes on regardless begins no further step.
    halt.stop('lost');
  }

  return {
    claim,
    /** Settles when the attempt is over and its outcome is written. Never rejects. */
    ended: attempt(),
    refresh,
    /** Starts no further steps. Those in flight continue. */
    drain: () => void halt.stop('draining'),
    /** Aborts the steps in flight and discards their results. */
    abandon(cause: 'drained' | 'lost'): void {
      wasInterrupted ||= !hasEnded;
      halt.stop(cause);
      patience.begin();
      controller.abort(new KernelError('TOOL_CANCELLED', 'The worker gives the run up.'));
    },
  };
}

/** Waits for something that was asked to end: `over` resolves when it has taken too long. */
function createPatience(ms: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let isCancelled = false;
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => {
    isOver = true;
    resolve(undefined);
  };
  return {
    over,
    isOver: () => isOver,
    begin(): void {
      if (!isCancelled) timer ??= setTimeout(end, ms);
    },
    cancel(): void {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}

type RunEndEvent = Extract<AgentEvent, { readonly type: 'run-end' }>;

interface Ended {
  readonly event: RunEndEvent;
  readonly result: string;
}

function resultText({ type: _type, ...rest }: RunEndEvent): string {
  return JSON.stringify(rest.reason === 'error' ? { ...rest, error: toJson(rest.error) } : rest);
}

/** Fails a run that a worker has got and whose journal cannot be read, for which there is no other worker either. */
export function failUnreadable(db: Database, writer: Writer, claim: Claim, error: KernelError): Promise<void> {
  return writer.write(() => {
    if (holdsLease(db, claim)) endRun(db, claim.runId, 'failed', JSON.stringify(errorResult(error)));
  });
}

function withAnswers(db: Database, runId: string, approve: Approve, used: Set<string>): Approve {
  return (request) => {
    const callId = [...request.path, request.call.id].join('/');
    const answer = readAnswer(db, runId, callId, 'approval');
    if (answer === undefined) return approve(request);
    used.add(callId);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the run checks it like any decision
    return decisionFor(answer as unknown as ApprovalDecision, request.digest);
  };
}

function errorResult(error: unknown): object {
  return { reason: 'error', error: toJson(error) };
}

function toJson(error: unknown): unknown {
  if (KernelError.is(error)) return error;
  return new KernelError('TOOL_FAILED', errorMessage(error));
}

function ignore(): void {}
