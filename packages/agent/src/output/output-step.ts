import { truncate, untilAborted } from '@kernel/internal';
import { type AssistantMessage, KernelError, type Message, type Step } from '@kernel/protocol';
import { createStep, type StepContext } from '../loop/steps.ts';
import type { OutputMode, TypedOutput } from './typed-output.ts';

/** What a reply without calls was read as: the JSON of the answer, or what is wrong with it and the message that says so to the model. */
export type OutputStepResult =
  | { readonly answer: string }
  | { readonly issues: readonly string[]; readonly received: readonly Message[] };

const MAX_TEXT = 2_000;

/** A text that is to be read as the typed answer. */
export interface AskedAnswer {
  /** The turn that it came from. */
  readonly turn: number;
  /** The text. */
  readonly text: string;
  /** How the answer was asked for. */
  readonly mode: OutputMode;
  /** Whether the model is not asked again. */
  readonly isLast: boolean;
}

/** Creates the step `output:<turn>`, which reads the typed answer of a reply. */
export function outputStep(context: StepContext, output: TypedOutput, { turn, text, mode, isLast }: AskedAnswer): Step {
  return createStep(
    context,
    { id: `output:${turn}`, kind: 'output', input: { text } },
    async ({ signal }): Promise<OutputStepResult> => {
      const read = await untilAborted(output.reader.read(text), signal);
      if ('answer' in read) return { answer: read.answer };
      const { issues } = read;
      return {
        issues,
        received: isLast ? [] : [correction(issues, mode === 'tool-call' ? output.answerName : undefined)],
      };
    },
  );
}

/** The output of the step `answer:<turn>`. */
export interface GivenAnswer {
  /** The answer as a message of the model. */
  readonly message: AssistantMessage;
}

/** Creates the step `answer:<turn>`, which puts an answer that a call gave into the history, so that it ends as with an answer in a reply. */
export function answerStep(context: StepContext, turn: number, answer: string): Step {
  return createStep(
    context,
    { id: `answer:${turn}`, kind: 'answer', input: { answer } },
    async (): Promise<GivenAnswer> => {
      return { message: { role: 'assistant', content: [{ type: 'text', text: answer }] } };
    },
  );
}

/** The error of an answer that does not fit. */
export function invalidOutput(issues: readonly string[], text: string): KernelError {
  return new KernelError('OUTPUT_INVALID', `The answer does not fit the output schema: ${issues.join('; ')}.`, {
    hint: 'Simplify the schema, describe its fields, or use another model.',
    data: { issues, text: truncate(text, MAX_TEXT) },
  });
}

function correction(issues: readonly string[], answerName: string | undefined): Message {
  const how =
    answerName === undefined
      ? 'Reply again with the corrected JSON and nothing else.'
      : `Call the tool "${answerName}" with your answer.`;
  return { role: 'user', content: `Your answer was rejected: ${issues.join('; ')}. ${how}` };
}
