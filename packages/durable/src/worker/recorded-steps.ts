import { errorMessage, inputDigest } from '@kernel/internal';
import {
  isRepeatable,
  type AgentEvent,
  callFromInput,
  callIdOf,
  type DurableAgent,
  isInnerStep,
  type JsonValue,
  limitOutput,
  MAX_STEP_BYTES,
  pendingCallOf,
  shouldLogEvent,
  type Step,
  type StepExecutor,
  type OutcomeResolution,
} from '@kernel/protocol';
import { type Database } from '../database/database.ts';
import type { Writer } from '../database/group-commit.ts';
import { logEvents, type NewEvent } from '../runs/events.ts';
import { parse, text } from '../runs/read-run.ts';
import { bindAnswer, readAnswer } from '../runs/signals.ts';
import type { Halt } from './halt.ts';
import { holdsLease, type Lease } from './leases.ts';

export interface RecordedStepsOptions {
  readonly db: Database;
  readonly writer: Writer;
  readonly lease: Lease;
  readonly agent: DurableAgent;
  readonly halt: Halt;
  /** Adds the events of the run itself since the last call to those of a step, and drops those already logged. */
  readonly withRunEvents: (events: readonly NewEvent[]) => readonly NewEvent[];
  /** Called when the halt of the attempt interrupts a step. */
  readonly onInterrupted: () => void;
  /** Called before each step that runs instead of being replayed. */
  readonly beforeLiveStep: () => void;
  /** Returns the inbox rows that a step has taken since the last call. */
  readonly takenRows: () => readonly number[];
  /** The ids of calls whose answer from outside was used. */
  readonly usedAnswers: Set<string>;
}

interface Recorded {
  readonly digest: string;
  readonly state: 'begun' | 'done';
  readonly output: string;
}

/** Creates the step executor of one attempt at a run. It replays the steps in the journal, and runs and records all others. */
export function createRecordedSteps(options: RecordedStepsOptions): StepExecutor {
  const { db, writer, lease, agent, halt, usedAnswers } = options;
  const { runId } = lease;
  const recorded = new Map<string, Recorded>();
  for (const row of db.all('SELECT id, input_digest, state, output FROM steps WHERE run_id = ?', runId))
    recorded.set(text(row, 'id'), {
      digest: text(row, 'input_digest'),
      state: text(row, 'state') === 'done' ? 'done' : 'begun',
      output: text(row, 'output'),
    });
  const waits = new Set(db.all('SELECT call_id FROM waits WHERE run_id = ?', runId).map((row) => text(row, 'call_id')));

  /** Writes under the lease. Throws if it is lost or the journal cannot be written. */
  const commit = async (work: () => void): Promise<void> => {
    let isOwner: boolean;
    try {
      isOwner = await writer.write(() => {
        if (!holdsLease(db, lease)) return false;
        work();
        return true;
      }, 'progress');
    } catch (error) {
      throw halt.stop('write-failed', errorMessage(error));
    }
    if (!isOwner) throw halt.stop('lost');
  };

  const begin = (step: Step, digest: string): Promise<void> =>
    commit(() => {
      db.run(
        `INSERT INTO steps (run_id, id, input_digest, effect, state, began_at) VALUES (?, ?, ?, ?, 'begun', ?)
         ON CONFLICT DO UPDATE SET state = 'begun', began_at = excluded.began_at`,
        runId,
        step.id,
        digest,
        step.effect ?? null,
        Date.now(),
      );
    });

  const finish = async (
    step: Step,
    digest: string,
    output: JsonValue,
    events: readonly NewEvent[],
  ): Promise<JsonValue> => {
    const { kept, json } = limitOutput(step, output, agent.maxResultBytes ?? MAX_STEP_BYTES);
    const taken = step.kind === 'model' || step.kind === 'inbox' ? options.takenRows() : [];
    const callId = callIdOf(step.id);
    const logged = options.withRunEvents(events);
    await commit(() => {
      const now = Date.now();
      db.run(
        `INSERT INTO steps (run_id, id, input_digest, effect, state, output, began_at, ended_at) VALUES (?, ?, ?, ?, 'done', ?, ?, ?)
         ON CONFLICT DO UPDATE SET state = 'done', output = excluded.output, ended_at = excluded.ended_at`,
        runId,
        step.id,
        digest,
        step.effect ?? null,
        json,
        now,
        now,
      );
      for (const seq of taken) db.run('DELETE FROM inbox WHERE seq = ?', seq);
      if (step.kind === 'approve' && usedAnswers.has(callId)) bindAnswer(db, runId, callId, output);
      if (waits.has(callId)) db.run('DELETE FROM waits WHERE run_id = ? AND call_id = ?', runId, callId);
      logEvents(db, runId, logged);
    });
    waits.delete(callId);
    recorded.set(step.id, { digest, state: 'done', output: json });
    return kept;
  };

  /** Makes a call wait for an answer from outside. An answer that was used without settling it is deleted. */
  const wait = async (
    step: Step,
    {
      kind,
      call,
      callId,
    }: { readonly kind: 'approval' | 'unknown'; readonly call: JsonValue; readonly callId: string },
    events: readonly NewEvent[] = [],
  ): Promise<never> => {
    const now = Date.now();
    const deadline = kind === 'approval' ? deadlineOf(now, agent.approvalTimeoutMs) : null;
    // What else the step has emitted it emits again once it has its answer.
    const logged = options.withRunEvents(events.filter(({ event }) => event.type === 'approval-request'));
    const wasUsed = usedAnswers.delete(callId);
    await commit(() => {
      if (wasUsed) db.run('DELETE FROM signals WHERE run_id = ? AND call_id = ?', runId, callId);
      db.run(
        `INSERT INTO waits (run_id, call_id, kind, call, since, deadline_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET call = excluded.call`,
        runId,
        callId,
        kind,
        JSON.stringify(call),
        now,
        deadline,
      );
      logEvents(db, runId, logged);
    });
    throw halt.stop('waiting', step.id);
  };

  /** Settles a call that was in flight when its process died. Undefined if it is to run again. */
  const settleUnknown = async (step: Step, digest: string): Promise<JsonValue | undefined> => {
    const callId = callIdOf(step.id);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `answerCall`
    const given = readAnswer(db, runId, callId, 'unknown') as OutcomeResolution | undefined;
    const answer = agent.onUnknown === 'ask' ? given : 'tell';
    if (answer === 'retry') return undefined;
    if (answer === undefined) return wait(step, { kind: 'unknown', call: callFromInput(step.input), callId });
    if (typeof answer === 'object') return finish(step, digest, { result: { forLLM: answer.text } }, []);
    const { events, onEvent } = collectEvents(step);
    return finish(step, digest, step.unknown?.({ onEvent }) ?? null, events);
  };

  const stoppedIds: string[] = [];
  const execute = async (step: Step): Promise<JsonValue> => {
    try {
      return await replayOrRun(step);
    } catch (error) {
      if (halt.cause() !== undefined) {
        stoppedIds.push(step.id);
        options.onInterrupted();
      }
      throw error;
    }
  };

  const replayOrRun = async (step: Step): Promise<JsonValue> => {
    const digest = inputDigest(step);
    const known = recorded.get(step.id);
    if (known !== undefined && known.digest !== digest)
      throw halt.stop(
        'blocked',
        `The input of step "${step.id}" differs from the one in the journal: the code has changed.`,
      );
    if (known?.state === 'done') return parse(known.output);
    const stopped = halt.cause();
    if (stopped !== undefined) throw halt.stop(stopped);
    options.beforeLiveStep();
    if (known?.state === 'begun' && step.unknown !== undefined) {
      const settled = await settleUnknown(step, digest);
      if (settled !== undefined) return settled;
    }
    const { events, onEvent } = collectEvents(step);
    const isUnsafe = step.effect !== undefined && !isRepeatable(step.effect);
    const beforeHandler = isUnsafe && step.hasInnerSteps !== true ? once(() => begin(step, digest)) : undefined;
    const output = await step.run({ onEvent, beforeHandler });
    // A step that returns while the attempt is being aborted, or after inner steps were interrupted, has not really ended.
    const cause = halt.cause();
    if (cause === 'drained' || cause === 'lost') throw halt.stop(cause);
    if (cause !== undefined && step.hasInnerSteps === true && stoppedIds.some((id) => isInnerStep(id, step.id)))
      throw halt.stop(cause);
    const pending = pendingCallOf(step, output);
    if (pending !== undefined) return wait(step, { kind: 'approval', ...pending }, events);
    return finish(step, digest, output, events);
  };

  return {
    takesInnerSteps: true,
    async all(batch) {
      const settled = await Promise.allSettled(batch.map(execute));
      return settled.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        return each.value;
      });
    },
  };
}

function deadlineOf(nowMs: number, approvalTimeoutMs = Infinity): number | null {
  const at = Math.ceil(nowMs + approvalTimeoutMs);
  return Number.isSafeInteger(at) ? at : null;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}

/** Collects the events of a step that are to be logged. Approval requests get a key, because a waiting step emits them again. */
function collectEvents(step: Step) {
  const events: NewEvent[] = [];
  let requests = 0;
  const onEvent = (event: AgentEvent): void => {
    if (!shouldLogEvent(event)) return;
    const key = event.type === 'approval-request' ? `${step.id} ${(requests += 1)}` : '';
    events.push({ key, step: step.id, at: Date.now(), event });
  };
  return { events, onEvent };
}
