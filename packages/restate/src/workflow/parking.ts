import type { Decision, DurableAgent, JsonValue, UnknownAnswer } from '@kernel/protocol';
import { RestatePromise, TerminalError, type WorkflowContext } from '@restatedev/restate-sdk';
import { promiseNames, roundKey, type Wait } from '../run-state.ts';
import type { Journal } from './journal.ts';
import type { RunStatusWriter } from './run-status.ts';

/** A call that somebody has to answer for. */
export interface Question {
  /** What it needs. */
  readonly kind: Wait['kind'];
  /** What names the call for those outside. */
  readonly callId: string;
  /** The call. */
  readonly call: JsonValue;
}

/** Lets calls wait for answers from outside. */
export interface Parking {
  /** Reads a decision that came before its question. */
  readEarly(callId: string): Promise<void>;
  /** The answer that a call has got; undefined if there is none yet. */
  answer(kind: Wait['kind'], callId: string): Decision | UnknownAnswer | undefined;
  /** Waits until all questions are answered, or the run is cancelled. An answer of before that did not settle a question is gone. */
  wait(questions: readonly Question[]): Promise<void>;
}

const LATE = { decision: 'deny', reason: 'no decision came in time.' } as const;

/** Creates the place where the calls of a run wait. While they do, the invocation is suspended: it holds nothing in the memory of a worker. */
export function createParking(
  context: WorkflowContext,
  journal: Journal,
  status: RunStatusWriter,
  agent: DurableAgent,
): Parking {
  const rounds = new Map<string, number>();
  const answers = new Map<string, Decision | UnknownAnswer>();
  const roundOf = (kind: Wait['kind'], callId: string): number => rounds.get(keyOf(kind, callId)) ?? 1;
  const promiseOf = (kind: Wait['kind'], callId: string) =>
    context.promise<Decision | UnknownAnswer>(promiseNames.answer(kind, callId, roundOf(kind, callId)));

  /** Makes room for the next answer about a call. */
  function ask({ kind, callId }: Question): void {
    const key = keyOf(kind, callId);
    if (!answers.delete(key)) return;
    const round = roundOf(kind, callId) + 1;
    rounds.set(key, round);
    context.set(roundKey(kind, callId), round);
  }

  /** Denies a call that nobody decided on in time, unless somebody has by now. */
  async function deny(question: Question): Promise<void> {
    try {
      await journal.until(promiseOf(question.kind, question.callId).resolve(LATE));
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
    }
  }

  async function waitForAnswer(question: Question, timer: RestatePromise<void> | undefined): Promise<void> {
    const { kind, callId } = question;
    const promise = promiseOf(kind, callId).get();
    if (timer !== undefined && kind === 'approval') {
      const either = RestatePromise.race([promise.map(() => 'answered'), timer.map(() => 'late')]);
      if ((await journal.untilCancelled(either)) === 'late') await deny(question);
    }
    const given = await journal.untilCancelled(promise);
    if (given !== undefined) answers.set(keyOf(kind, callId), given);
  }

  return {
    async readEarly(callId) {
      if (answers.has(keyOf('approval', callId))) return;
      const early = await journal.until(promiseOf('approval', callId).peek());
      if (early !== undefined) answers.set(keyOf('approval', callId), early);
    },
    answer: (kind, callId) => answers.get(keyOf(kind, callId)),
    async wait(questions) {
      const since = status.now();
      const limit = agent.approvalMs;
      const hasLimit = limit !== undefined && questions.some(({ kind }) => kind === 'approval');
      for (const question of questions) ask(question);
      let waits = questions.map((question): Wait => {
        const answer = promiseNames.answer(question.kind, question.callId, roundOf(question.kind, question.callId));
        const isLimited = hasLimit && question.kind === 'approval';
        return { ...question, since, answer, ...(isLimited ? { deadlineAt: since + limit } : {}) };
      });
      status.setWaits(waits);
      const timer = hasLimit ? context.sleep(limit, 'approval') : undefined;
      for (const question of questions) {
        // oxlint-disable-next-line no-await-in-loop -- the order of commands must be that of the journal
        await waitForAnswer(question, timer);
        if (journal.isCancelled()) return;
        waits = waits.slice(1);
        status.setWaits(waits);
      }
    },
  };
}

function keyOf(kind: Wait['kind'], callId: string): string {
  return `${kind} ${callId}`;
}
