import type { Message, StepExecutor } from '@kernel/protocol';
import { ignoreRejection } from '../ignore-rejection.ts';
import { endedEarly, type RunAnswer, type RunOutcome, withOutput } from '../loop/run-end.ts';
import { runStep, type StepContext } from '../loop/steps.ts';
import { type AskedAnswer, invalidOutput, type OutputStepResult, outputStep } from './output-step.ts';
import { isWholeJson } from './read-json.ts';
import type { OutputMode, TypedOutput } from './typed-output.ts';

/** Reads the typed answers of one run, in steps. */
export interface AnswerSteps {
  /** Reads the answer of a turn. Undefined: it does not fit, and the model is asked once more. */
  read(turn: number, mode: OutputMode, outcome: RunAnswer): Promise<RunOutcome | undefined>;
  /** Counts an answer that does not fit. Returns how the run ends at the second one. */
  reject(issues: readonly string[], text: string): RunOutcome | undefined;
  /** Adds the typed answer to how the run ended after a turn. Where it ended early, its text may be one that nobody has read yet. */
  complete(turn: number, ended: RunOutcome): Promise<RunOutcome>;
}

/** Creates what reads the answers of one run; `append` adds what is said to the model to its history. */
export function createAnswerSteps(
  output: TypedOutput,
  steps: StepExecutor,
  context: StepContext,
  append: (...added: readonly Message[]) => void,
): AnswerSteps {
  let rejected = 0;
  /** The last turn whose text was read, and the answer in it, if it was one. */
  let last: { readonly turn: number; readonly answer?: string } = { turn: -1 };

  async function readText(asked: AskedAnswer): Promise<OutputStepResult> {
    const read = await runStep<OutputStepResult>(steps, outputStep(context, output, asked));
    last = { turn: asked.turn, ...('answer' in read && { answer: read.answer }) };
    return read;
  }

  /** Reads a text after the time limit, when no step runs any more: what a check does not say at once is left unread. */
  async function readWithoutWaiting({ turn, text }: AskedAnswer): Promise<void> {
    const reading = output.reader.read(text);
    ignoreRejection(reading);
    const read = await Promise.race([
      reading,
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined))),
    ]);
    if (read !== undefined && 'answer' in read) last = { turn, answer: read.answer };
  }

  function reject(issues: readonly string[], text: string): RunOutcome | undefined {
    rejected += 1;
    void context.emit({ type: 'output-rejected', issues });
    return rejected > 1 ? { reason: 'error', error: invalidOutput(issues, text) } : undefined;
  }

  return {
    reject,
    async read(turn, mode, outcome) {
      const { answer: text } = outcome;
      const read = await readText({ turn, text, mode, isLast: rejected > 0 });
      if ('answer' in read) return { ...outcome, answer: read.answer };
      append(...read.received);
      return reject(read.issues, text);
    },
    async complete(turn, ended) {
      if (ended.reason === 'done') return withOutput(ended, output, context.signal);
      if (!endedEarly(ended)) return ended;
      const asked = { turn, text: ended.answer, mode: 'text', isLast: true } as const;
      if (last.turn < turn && isWholeJson(ended.answer))
        await (context.signal.aborted ? readWithoutWaiting(asked) : readText(asked));
      if (last.turn < turn || last.answer === undefined) return ended;
      return withOutput({ ...ended, answer: last.answer }, output, context.signal);
    },
  };
}
