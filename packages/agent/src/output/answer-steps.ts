import { truncate, untilAborted } from '@kernel/internal';
import {
  type AssistantMessage,
  KernelError,
  type Message,
  type MessageEnd,
  runEndOf,
  textOf,
  toModelText,
  type ToolCall,
  type ToolResult,
} from '@kernel/protocol';
import { ignoreRejection } from '../ignore-rejection.ts';
import type { RunAnswer, RunEnding } from '../loop/run-end.ts';
import { append, type OutputMode, type Run, type TypedOutput } from '../loop/run-state.ts';
import { createStep, runStep } from '../loop/steps.ts';
import type { AnswerReader } from './answer-reader.ts';
import { checkFailed } from './output-schema.ts';
import { isWholeJson } from './read-json.ts';

/** What was read of a text as the typed answer: the JSON of the answer, or what is wrong with it and the message that says so to the model. */
type OutputStepResult =
  | { readonly answer: string }
  | { readonly issues: readonly string[]; readonly received: readonly Message[] };

type AnsweredEnding = Exclude<RunEnding, { readonly reason: 'error' | 'approval' }> & { readonly answer: string };

const MAX_TEXT = 2_000;
/** The ends besides `done` whose text may be a typed answer. */
const EARLY_ENDS: ReadonlySet<string> = new Set(['limit', 'loop', 'length', 'handled']);

/** Creates the part of a typed answer that reads answers, in steps, and counts those that do not fit. `answerName` is the tool that takes the answer. */
export function createAnswerSteps(
  reader: AnswerReader,
  answerName: string,
): Pick<TypedOutput, 'isAnswer' | 'withDroppedAnswer' | 'readReply' | 'endWithAnswer' | 'refusal' | 'complete'> {
  let rejected = 0;
  /** The last turn whose text was read, and the answer in it, if it was one. */
  let last: { readonly turn: number; readonly answer?: string } = { turn: -1 };
  const isAnswer = (name: string): boolean => name === answerName;

  /** Reads a text in the step `output:<turn>`. What is wrong with it is said to the model, unless that is not asked again. */
  async function readText(run: Run, text: string, mode: OutputMode, isLast: boolean): Promise<OutputStepResult> {
    const turn = run.turns;
    const head = { id: `output:${turn}`, kind: 'output', input: { text } } as const;
    const step = createStep(run, head, async ({ signal }): Promise<OutputStepResult> => {
      const read = await untilAborted(reader.read(text), signal);
      if ('answer' in read) return { answer: read.answer };
      const { issues } = read;
      const received = isLast ? [] : [correction(issues, mode === 'tool-call' ? answerName : undefined)];
      return { issues, received };
    });
    const read = await runStep<OutputStepResult>(run.steps, step);
    last = { turn, ...('answer' in read && { answer: read.answer }) };
    return read;
  }

  /** Reads a text after the time limit, when no step runs any more: what a check does not say at once is left unread. */
  async function readWithoutWaiting(run: Run, text: string): Promise<void> {
    const reading = reader.read(text);
    ignoreRejection(reading);
    const read = await Promise.race([
      reading,
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined))),
    ]);
    if (read !== undefined && 'answer' in read) last = { turn: run.turns, answer: read.answer };
  }

  /** Counts an answer that does not fit. Returns how the run ends at the second one. */
  function reject(run: Run, issues: readonly string[], text: string): RunEnding | undefined {
    rejected += 1;
    void run.emit({ type: 'output-rejected', issues });
    return rejected > 1 ? { reason: 'error', error: invalidOutput(issues, text) } : undefined;
  }

  /** Adds the typed answer to the ending of a run that has one. Rejects with `signal.reason` on abort. */
  async function withOutput(ending: AnsweredEnding, signal: AbortSignal): Promise<RunEnding> {
    const value = reader.valueOf(ending.answer);
    const read = value instanceof Promise ? await untilAborted(value, signal) : value;
    if ('answer' in read) return { ...ending, output: read.output };
    return { reason: 'error', error: invalidOutput(read.issues, ending.answer) };
  }

  return {
    isAnswer,
    withDroppedAnswer<Reply extends Pick<MessageEnd, 'message' | 'finishReason' | 'droppedCalls'>>(
      reply: Reply,
    ): Reply {
      const { droppedCalls, finishReason, message } = reply;
      if (runEndOf(finishReason) === 'filtered') return reply;
      const given = droppedCalls?.find((call) => isAnswer(call.name) && isWholeJson(call.arguments));
      if (given === undefined || isWholeJson(textOf(message))) return reply;
      return { ...reply, message: { ...message, content: [{ type: 'text', text: given.arguments }] } };
    },
    async readReply(run: Run, mode: OutputMode, ending: RunAnswer) {
      const { answer: text } = ending;
      const read = await readText(run, text, mode, rejected > 0);
      if ('answer' in read) return { ...ending, answer: read.answer };
      append(run, ...read.received);
      return reject(run, read.issues, text);
    },
    async endWithAnswer(run: Run, answer: string) {
      const head = { id: `answer:${run.turns}`, kind: 'answer', input: { answer } } as const;
      // In a step, so that the history ends as with an answer in a reply.
      const step = createStep(run, head, async (): Promise<{ readonly message: AssistantMessage }> => ({
        message: { role: 'assistant', content: [{ type: 'text', text: answer }] },
      }));
      append(run, (await runStep<{ readonly message: AssistantMessage }>(run.steps, step)).message);
      return { reason: 'done', answer };
    },
    refusal(run: Run, results: readonly (readonly [ToolCall, ToolResult])[]) {
      const refused = results.find(([call, result]) => isAnswer(call.name) && result.isError === true);
      if (refused === undefined) return undefined;
      const [call, result] = refused;
      if (result.code === 'CONFIG_INVALID') throw checkFailed(toModelText(result));
      return reject(run, [toModelText(result)], call.arguments);
    },
    async complete(run: Run, ended: RunEnding) {
      if (ended.reason === 'done') return withOutput(ended, run.signal);
      if (!endedEarly(ended)) return ended;
      const { answer } = ended;
      if (last.turn < run.turns && isWholeJson(answer))
        await (run.signal.aborted ? readWithoutWaiting(run, answer) : readText(run, answer, 'text', true));
      if (last.turn < run.turns || last.answer === undefined) return ended;
      return withOutput({ ...ended, answer: last.answer }, run.signal);
    },
  };
}

/** Whether a run ended early with a text that may be a typed answer. */
function endedEarly(ending: RunEnding): ending is AnsweredEnding {
  return EARLY_ENDS.has(ending.reason) && 'answer' in ending && ending.answer !== undefined;
}

/** The error of an answer that does not fit. */
function invalidOutput(issues: readonly string[], text: string): KernelError {
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
