import {
  bindDecision,
  type Decision,
  type DurableAgent,
  type JsonValue,
  type OutcomeResolution,
} from '@kernel/protocol';
import { RestatePromise, TerminalError, type WorkflowContext } from '@restatedev/restate-sdk';
import { promiseNames, roundKey, type Wait } from '../run-state.ts';
import type { Journal } from './journal.ts';
import type { RunStatusWriter } from './run-status.ts';

export interface Question {
  readonly kind: Wait['kind'];
  readonly callId: string;
  readonly call: JsonValue;
}

export type CallAnswers = ReturnType<typeof createCallAnswers>;

const LATE = { decision: 'deny', reason: 'no decision came in time.' } as const;

/** Creates the answers of a run. While calls wait, the invocation can be suspended, holding no memory in a worker. */
export function createCallAnswers(
  context: WorkflowContext,
  journal: Journal,
  status: RunStatusWriter,
  agent: DurableAgent,
) {
  const rounds = new Map<string, number>();
  const answers = new Map<string, Decision | OutcomeResolution>();
  const roundOf = (kind: Wait['kind'], callId: string): number => rounds.get(keyOf(kind, callId)) ?? 1;
  const promiseOf = (kind: Wait['kind'], callId: string) =>
    context.promise<Decision | OutcomeResolution>(promiseNames.answer(kind, callId, roundOf(kind, callId)));

  function ask({ kind, callId }: Question): void {
    const key = keyOf(kind, callId);
    if (!answers.delete(key)) return;
    const round = roundOf(kind, callId) + 1;
    rounds.set(key, round);
    context.set(roundKey(kind, callId), round);
  }

  /** Denies a call whose time is up, unless it has just been decided on. */
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
    /** Reads a decision made before the call began to wait. */
    async readEarly(callId: string): Promise<void> {
      if (answers.has(keyOf('approval', callId))) return;
      const early = await journal.until(promiseOf('approval', callId).peek());
      if (early !== undefined) answers.set(keyOf('approval', callId), early);
    },
    /** Binds the decision on a call to the output of its step: asked about another one under this id, the person is asked again. */
    bind(callId: string, output: JsonValue): void {
      const answer = answers.get(keyOf('approval', callId));
      if (answer !== undefined) answers.set(keyOf('approval', callId), bindDecision(answer, output));
    },
    answer: (kind: Wait['kind'], callId: string): Decision | OutcomeResolution | undefined =>
      answers.get(keyOf(kind, callId)),
    /** Waits until all questions are answered or the run is cancelled. An earlier answer that did not settle a question is discarded. */
    async wait(questions: readonly Question[]): Promise<void> {
      const since = status.now();
      const limit = agent.approvalTimeoutMs;
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
        // The order of commands must be that of the journal.
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
