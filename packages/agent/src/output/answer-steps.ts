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
  toolCallsOf,
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
): Pick<TypedOutput, 'isAnswer' | 'withDroppedAnswer' | 'readReply' | 'endOfCalls' | 'complete'> {
  let rejected = 0;
  /** The last turn whose text was read, and the answer in it, if it was one. */
  let last: { readonly turn: number; readonly answer?: string } = { turn: -1 };
  /** The other calls that a reply made beside its text or answer, and that will never run. */
  let dropped: { readonly turn: number; readonly names: readonly string[] } = { turn: -1, names: [] };
  /** The ids of the calls that went on in the background. */
  const background = new Set<string>();
  const isAnswer = (name: string): boolean => name === answerName;
  const droppedNames = ({ turns }: Run): readonly string[] => (dropped.turn === turns ? dropped.names : []);

  /**
   * The names of the calls of the last reply, without the answer, that did not succeed: what stands beside them was
   * written before that was known.
   */
  function unsuccessful({ messages }: Run): readonly string[] {
    const at = messages.findLastIndex((message) => message.role === 'assistant');
    const reply = messages[at];
    const succeeded = new Set(
      messages.slice(at).flatMap((each) => (each.role === 'tool' && each.isError !== true ? [each.toolCallId] : [])),
    );
    const calls = reply?.role === 'assistant' ? toolCallsOf(reply) : [];
    return calls
      .filter(({ id, name }) => !isAnswer(name) && (!succeeded.has(id) || background.has(id)))
      .map(({ name }) => name);
  }

  /** Whether a text of the last reply was written beside calls that did not succeed. */
  function isPremature(run: Run, answer: string): boolean {
    const reply = run.messages.findLast((message) => message.role === 'assistant');
    const isOfReply = reply !== undefined && textOf(reply) === answer;
    return droppedNames(run).length > 0 || (isOfReply && unsuccessful(run).length > 0);
  }

  /** Asks for the answer again, in the step `output:<turn>`, after what the calls beside it have given. */
  async function askAgain(run: Run, text: string, names: readonly string[], mode: OutputMode): Promise<string[]> {
    const which = [...new Set(names)].map((name) => `"${name}"`).join(', ');
    const issues = [`it was written beside calls that did not succeed or have not ended: ${which}`];
    const head = { id: `output:${run.turns}`, kind: 'output', input: { text } } as const;
    const received = [correction(issues, mode === 'tool-call' ? answerName : undefined)];
    const step = createStep(run, head, async (): Promise<OutputStepResult> => ({ issues, received }));
    const asked = await runStep<OutputStepResult>(run.steps, step);
    if ('received' in asked) append(run, ...asked.received);
    return issues;
  }

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

  /**
   * How the run ends if a call gave an answer that does not fit, for the second time. A call that was skipped gave
   * none.
   */
  function refusal(run: Run, results: readonly (readonly [ToolCall, ToolResult])[]): RunEnding | undefined {
    const refused = results.find(
      ([call, result]) => isAnswer(call.name) && result.isError === true && result.outcome !== 'skipped',
    );
    if (refused === undefined) return undefined;
    const [call, result] = refused;
    if (result.code === 'CONFIG_INVALID') throw checkFailed(toModelText(result));
    return reject(run, [toModelText(result)], call.arguments);
  }

  return {
    isAnswer,
    withDroppedAnswer<Reply extends Pick<MessageEnd, 'message' | 'finishReason' | 'droppedCalls'>>(
      { turns: turn }: Run,
      reply: Reply,
    ): Reply {
      const { droppedCalls = [], finishReason, message } = reply;
      dropped = { turn, names: droppedCalls.flatMap(({ name }) => (isAnswer(name) ? [] : [name])) };
      if (runEndOf(finishReason) === 'filtered') return reply;
      const given = droppedCalls.find((call) => isAnswer(call.name) && isWholeJson(call.arguments));
      if (given === undefined || isWholeJson(textOf(message))) return reply;
      return { ...reply, message: { ...message, content: [{ type: 'text', text: given.arguments }] } };
    },
    async readReply(run: Run, mode: OutputMode, ending: RunAnswer) {
      const { answer: text } = ending;
      const names = droppedNames(run);
      if (names.length > 0) return reject(run, await askAgain(run, text, names, mode), text);
      const read = await readText(run, text, mode, rejected > 0);
      if ('answer' in read) return { ...ending, answer: read.answer };
      append(run, ...read.received);
      return reject(run, read.issues, text);
    },
    async endOfCalls(run: Run, results: readonly (readonly [ToolCall, ToolResult])[], answer: string | undefined) {
      for (const [call, result] of results) if (result.async === true) background.add(call.id);
      if (answer === undefined) return refusal(run, results);
      const names = unsuccessful(run);
      if (names.length > 0) {
        const issues = await askAgain(run, answer, names, 'tool-call');
        void run.emit({ type: 'output-rejected', issues });
        return undefined;
      }
      const head = { id: `answer:${run.turns}`, kind: 'answer', input: { answer } } as const;
      // In a step, so that the history ends as with an answer in a reply.
      const step = createStep(run, head, async (): Promise<{ readonly message: AssistantMessage }> => ({
        message: { role: 'assistant', content: [{ type: 'text', text: answer }] },
      }));
      append(run, (await runStep<{ readonly message: AssistantMessage }>(run.steps, step)).message);
      return { reason: 'done', answer };
    },
    async complete(run: Run, ended: RunEnding) {
      if (ended.reason === 'done') return withOutput(ended, run.signal);
      if (!endedEarly(ended)) return ended;
      const { answer } = ended;
      // The answer of a hook is the program's own.
      if (ended.reason !== 'handled' && isPremature(run, answer)) return ended;
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
