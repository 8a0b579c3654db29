import { delay, isObject, onAbort, sliceHead, sliceTail, untilAborted, visibleLine } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { withTimeout } from '../../with-timeout.ts';
import { editorReason, toolError } from '../../workspace/errors.ts';
import type { IsolatedCommand } from '../isolation/types.ts';
import type { ProcessEnd } from '../process/start-process.ts';
import { newOutput } from './new-output.ts';
import type { RunningTerminal, TerminalOutput, Terminals } from './terminals.ts';
import { wrapForTerminal } from './wrap-for-terminal.ts';

export interface TerminalRun {
  readonly cwd: string;
  readonly callId: string | undefined;
  /** Time limit in milliseconds; Infinity means none. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether the output is asked for while the command runs, and not only when it has ended. */
  readonly isFollowed: boolean;
  readonly onOutput: (bytes: Uint8Array) => void;
}

const START_MS = 30_000;
const ANSWER_MS = 2_000;
const FOLLOW_MS = 500;
const MAX_OUTPUT = 1_048_576;
const MAX_FOLLOWED = 65_536;
const UNKNOWN = { exitCode: undefined, signal: undefined };

/**
 * Runs a command in a terminal of an editor, and resolves as `startProcess` does. On every path the terminal is released, within bounded time whatever the
 * editor does; a command that may still run after that counts as detached. Rejects with `TOOL_FAILED` if the command cannot be started or its terminal is lost.
 */
export async function runInTerminal(
  terminals: Terminals,
  command: IsolatedCommand,
  run: TerminalRun,
): Promise<ProcessEnd> {
  const terminal = await start(terminals, command, run);
  const startedMs = performance.now();
  const reader = createReader(terminal, run.onOutput);
  const over = new AbortController();
  const following = run.isFollowed ? follow(reader.read, over.signal) : undefined;
  let released: Promise<boolean> | undefined;
  const release = (): Promise<boolean> => (released ??= isAnswered(() => terminal.release()));
  try {
    const { stoppedBy, ...end } = await untilEnd(terminal, run);
    const durationMs = performance.now() - startedMs;
    over.abort();
    const hasEnded = stoppedBy === undefined || (await hasEndedAfterKill(terminal));
    await following;
    await reader.read();
    if (reader.isLost()) run.onOutput(Buffer.from('(The editor did not return the output of the command.)'));
    const isOver = hasEnded || (await release());
    return { ...end, stoppedBy, durationMs, leftRunning: [], detached: isOver ? [] : [''] };
  } finally {
    over.abort();
    await release();
  }
}

async function start(
  terminals: Terminals,
  command: IsolatedCommand,
  { callId, cwd, isFollowed, signal }: TerminalRun,
): Promise<RunningTerminal> {
  signal.throwIfAborted();
  const maxOutputBytes = isFollowed ? MAX_FOLLOWED : MAX_OUTPUT;
  const isDecidedThere = terminals.decidesOnCommands === true;
  const { args, program, variables } = isDecidedThere ? { ...command, variables: {} } : wrapForTerminal(command);
  const request = async (): Promise<RunningTerminal> => {
    const terminal = await terminals.start({ program, args, variables, cwd, maxOutputBytes }, { callId, signal });
    // One that is lost is reported where its end is waited for, if it is.
    terminal.ended.catch(() => undefined);
    return terminal;
  };
  const starting = request();
  try {
    // A decision takes as long as it takes.
    if (isDecidedThere) return await untilAborted(starting, signal);
    const late = () => toolError(`The editor did not start the command within ${START_MS} ms.`);
    return await withTimeout(untilAborted(starting, signal), START_MS, late);
  } catch (error) {
    // One that is there later all the same is freed.
    void starting.then((terminal) => isAnswered(() => terminal.release())).catch(() => undefined);
    signal.throwIfAborted();
    throw KernelError.is(error)
      ? error
      : toolError(`The editor could not start the command: ${editorReason(error)}.`, error);
  }
}

async function untilEnd(
  terminal: RunningTerminal,
  { signal, timeoutMs }: TerminalRun,
): Promise<Pick<ProcessEnd, 'exitCode' | 'signal' | 'stoppedBy'>> {
  let timer: NodeJS.Timeout | undefined;
  let removeAbort: (() => void) | undefined;
  const stopped = new Promise<'timeout' | 'abort'>((resolve) => {
    if (Number.isFinite(timeoutMs)) timer = setTimeout(() => resolve('timeout'), timeoutMs);
    removeAbort = onAbort(signal, () => resolve('abort'));
  });
  try {
    return await Promise.race([
      terminal.ended.then((end) => ({ ...checkedEnd(end), stoppedBy: undefined })),
      stopped.then((stoppedBy) => ({ ...UNKNOWN, stoppedBy })),
    ]);
  } catch (error) {
    throw toolError(`The editor lost the terminal of the command, which may still run: ${editorReason(error)}.`, error);
  } finally {
    clearTimeout(timer);
    removeAbort?.();
  }
}

/** Kills the command, and resolves to whether it has ended. */
async function hasEndedAfterKill(terminal: RunningTerminal): Promise<boolean> {
  return (await isAnswered(() => terminal.kill())) && isAnswered(() => terminal.ended);
}

function createReader(terminal: RunningTerminal, onOutput: (bytes: Uint8Array) => void) {
  let before = '';
  let isLost = false;
  return {
    read: async (): Promise<void> => {
      const output = checkedOutput(await answerOf(() => terminal.output()));
      isLost = output === undefined;
      if (output === undefined) return;
      const text = newOutput(before, output);
      before = output.text;
      if (text !== '') onOutput(Buffer.from(text));
    },
    /** Whether the editor did not answer, or with nonsense, when it was last asked. */
    isLost: () => isLost,
  };
}

async function follow(read: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(FOLLOW_MS, signal).catch(() => undefined);
    if (!signal.aborted) await read();
  }
}

/** The answer of an editor; undefined if it fails, or does not come in time. */
async function answerOf<T>(ask: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    const asked = async () => ({ value: await ask() });
    return await withTimeout(asked(), ANSWER_MS, () => new Error('late'));
  } catch {
    return undefined;
  }
}

async function isAnswered(ask: () => Promise<unknown>): Promise<boolean> {
  return (await answerOf(ask)) !== undefined;
}

function checkedOutput(answer: { readonly value: unknown } | undefined): TerminalOutput | undefined {
  const value = answer?.value;
  if (!isObject(value) || typeof value['text'] !== 'string') return undefined;
  const text = sliceTail(value['text'], MAX_OUTPUT);
  return { text, isTruncated: value['isTruncated'] === true || text.length < value['text'].length };
}

function checkedEnd(end: unknown): Pick<ProcessEnd, 'exitCode' | 'signal'> {
  if (!isObject(end)) return UNKNOWN;
  const { exitCode, signal } = end;
  return {
    exitCode: typeof exitCode === 'number' && Number.isSafeInteger(exitCode) ? exitCode : undefined,
    signal: typeof signal === 'string' && signal !== '' ? visibleLine(sliceHead(signal, 40)) : undefined,
  };
}
