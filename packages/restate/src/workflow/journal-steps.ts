import { createLock, inputDigest } from '@kernel/internal';
import { setImmediate as nextTask } from 'node:timers/promises';
import {
  isRepeatable,
  callFromInput,
  callIdOf,
  type DurableAgent,
  type JsonValue,
  KernelError,
  type Step,
  type StepExecutor,
  type OutcomeResolution,
} from '@kernel/protocol';
import { RestatePromise } from '@restatedev/restate-sdk';
import type { EventLog } from './event-log.ts';
import type { Halt } from './halt.ts';
import type { Journal } from './journal.ts';
import { createAttemptIntents } from './intents.ts';
import type { CallAnswers, Question } from './call-answers.ts';
import type { RunStatusWriter } from './run-status.ts';
import type { SignalSteering } from './signals.ts';
import { runStep, type StepRecord, unknownRecord } from './step-record.ts';

export interface JournalStepsOptions {
  readonly journal: Journal;
  readonly answers: CallAnswers;
  readonly agent: DurableAgent;
  readonly steering: SignalSteering;
  readonly log: EventLog;
  readonly status: RunStatusWriter;
  readonly halt: Halt;
  readonly attemptId: string;
}

interface Item {
  readonly step: Step;
  readonly digest: string;
  /** How to resolve it instead of running it, if its outcome is unknown. */
  readonly answer?: OutcomeResolution;
}

/**
 * Creates the step executor of a run. The order of its journal commands depends only on the batches: first the intents of a batch, then its steps, then the
 * steps with inner steps one by one. Recorded steps stay recorded if the run fails and is retried.
 */
export function createJournalSteps(options: JournalStepsOptions): StepExecutor {
  const { journal, answers, agent, steering, log, status, halt, attemptId } = options;
  const records = new Map<string, StepRecord>();
  const runs = new Map<string, number>();
  const intents = createAttemptIntents(attemptId);
  const lock = createLock();

  const nameOf = ({ id }: Step): string => {
    const run = (runs.get(id) ?? 0) + 1;
    runs.set(id, run);
    return run === 1 ? id : `${id} ${run}`;
  };

  const check = ({ step, digest }: Item, record: StepRecord | undefined): void => {
    if (record !== undefined && record.digest !== digest)
      throw halt.block(`The input of step "${step.id}" differs from the one in the journal: the code has changed.`);
  };

  /** Whether the handler of a call was entered in a round that failed. */
  const wasEntered = ({ step }: Item): boolean => isUnsafe(step) && records.get(step.id)?.isEntered === true;

  const runOptions = (digest: string, name?: string) => ({
    digest,
    agent,
    steering,
    checkAttempt(): void {
      halt.check();
      if (name !== undefined) intents.enter(name);
    },
  });

  /** Records an intent for each call with an effect. Returns the calls that may have been entered in an earlier attempt. */
  async function begin(items: readonly { readonly item: Item; readonly name: string }[]): Promise<ReadonlySet<Item>> {
    const unsafe = items.filter(
      ({ item }) => isUnsafe(item.step) && typeof item.answer !== 'object' && item.answer !== 'tell',
    );
    const entered = unsafe.filter(({ item }) => item.answer === undefined && wasEntered(item)).map(({ item }) => item);
    const beginning = unsafe.filter(({ item }) => !entered.includes(item));
    if (beginning.length === 0) return new Set(entered);
    const recording = beginning.map(({ name }) => journal.once(`intent:${name}`, () => intents.record(name)));
    const recordedBy = await journal.until(RestatePromise.all(recording));
    return new Set([
      ...entered,
      ...beginning.flatMap(({ item, name }, index) => (intents.takeOver(name, recordedBy[index] ?? '') ? [] : [item])),
    ]);
  }

  async function work(item: Item, name: string, hadBegun: boolean): Promise<StepRecord> {
    const { step, digest, answer } = item;
    if (typeof answer === 'object')
      return { digest, at: Date.now(), output: { result: { forLLM: answer.text } }, events: [] };
    if (answer === 'tell' || (hadBegun && agent.onUnknown !== 'ask')) return unknownRecord(step, digest);
    if (hadBegun) return { digest, at: Date.now(), isUnknown: true, events: [] };
    return runStep(step, runOptions(digest, name));
  }

  async function runBatch(items: readonly Item[]): Promise<readonly StepRecord[]> {
    for (const { step } of items)
      // The order of commands must be that of the journal.
      if (step.kind === 'approve') await answers.readEarly(callIdOf(step.id));
    const named = items.map((item) => ({ item, name: nameOf(item.step) }));
    const begun = await begin(named);
    const running = named.map(({ item, name }) => journal.once(name, () => work(item, name, begun.has(item))));
    const done = await journal.until(RestatePromise.all(running));
    intents.forget(named.map(({ name }) => name));
    return done;
  }

  /** Runs steps until each has ended. Those that wait run again once they have an answer. */
  async function runPlain(items: readonly Item[]): Promise<void> {
    let left = items;
    while (left.length > 0) {
      const done = await runBatch(left);
      const waiting: { readonly item: Item; readonly question: Question }[] = [];
      for (const [index, item] of left.entries()) {
        const record = done[index];
        const question = record && settle(item, record);
        if (question !== undefined) waiting.push({ item, question });
      }
      if (waiting.length === 0) return;
      await waitForAnswers(waiting.map(({ question }) => question));
      left = waiting.map(({ item, question }) => withAnswer(item, question));
    }
  }

  function withAnswer({ step, digest }: Item, { kind, callId }: Question): Item {
    const answer = kind === 'unknown' ? answers.answer(kind, callId) : undefined;
    if (answer === undefined || (typeof answer === 'object' && !('text' in answer))) return { step, digest };
    return { step, digest, answer };
  }

  /** Runs a step with inner steps. Its output is recorded too, since it may contain times. */
  async function runOuter(item: Item): Promise<void> {
    for (;;) {
      const made = await runStep(item.step, runOptions(item.digest));
      if (halt.isOver()) await halt.never();
      const record = await lock(() => journal.until(journal.once(nameOf(item.step), () => made)));
      const question = settle(item, record);
      if (question === undefined) return;
      await lock(() => waitForAnswers([question]));
    }
  }

  async function waitForAnswers(questions: readonly Question[]): Promise<void> {
    await answers.wait(questions);
    if (journal.isCancelled()) await halt.cancel();
  }

  function settle(item: Item, record: StepRecord): Question | undefined {
    const { step } = item;
    check(item, record);
    status.setNow(record.at);
    if (record.pending !== undefined) return { kind: 'approval', ...record.pending };
    if (record.isUnknown === true)
      return { kind: 'unknown', callId: callIdOf(step.id), call: callFromInput(step.input) };
    if (step.kind === 'model' || step.kind === 'inbox')
      steering.settle(record.error === undefined ? (record.taken ?? { steer: 0, followUp: 0 }) : undefined);
    if (step.kind === 'approve' && record.output !== undefined) answers.bind(callIdOf(step.id), record.output);
    records.set(step.id, record);
    log.add(step.id, record.events);
    return undefined;
  }

  async function runAll(batch: readonly Step[]): Promise<readonly JsonValue[]> {
    if (halt.isOver()) return halt.never();
    // Lets the consumer read every event emitted before this batch, in a replay too.
    await nextTask();
    const items = batch.map((step): Item => ({ step, digest: inputDigest(step) }));
    for (const item of items) check(item, records.get(item.step.id));
    const missing = items.filter(({ step }) => records.get(step.id)?.output === undefined);
    await lock(() => runPlain(missing.filter(({ step }) => step.hasInnerSteps !== true)));
    // The order of commands must be that of the journal.
    for (const item of missing) if (item.step.hasInnerSteps === true) await runOuter(item);
    log.flush(false);
    return batch.map(({ id }) => {
      const record = records.get(id);
      if (record?.output === undefined) throw KernelError.fromJSON(record?.error);
      return record.output;
    });
  }

  return { takesInnerSteps: true, all: (batch) => halt.guard(runAll(batch)) };
}

function isUnsafe(step: Step): boolean {
  return step.effect !== undefined && !isRepeatable(step.effect) && step.unknown !== undefined;
}
