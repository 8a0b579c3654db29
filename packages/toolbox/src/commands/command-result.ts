import { visibleText } from '@kernel/internal';
import type { ToolResult } from '@kernel/protocol';
import type { OutputBuffer } from './process/output-buffer.ts';
import type { ProcessEnd } from './process/start-process.ts';

interface ResultOptions {
  readonly timeoutMs: number;
  readonly warning: string;
}

/** How programs say that they have reached a limit. */
const AT_LIMIT =
  /resource temporarily unavailable|cannot (?:allocate memory|fork)|out of memory|no space left on device|file (?:too large|size limit exceeded)|too many open files|memoryerror|bad_alloc|\bE(?:AGAIN|FBIG|MFILE|NOMEM|NOSPC)\b/i;
/** SIGKILL, which ends a program when memory runs out, and SIGXFSZ, as a shell reports them. */
const LIMIT_CODES: ReadonlySet<number | undefined> = new Set([137, 153]);

/** The result of a command that was waited for. A non-zero exit code is an answer, not a failure of the tool. */
export function toCommandResult(
  end: ProcessEnd,
  output: OutputBuffer,
  { timeoutMs, warning }: ResultOptions,
): ToolResult {
  const text = output.text();
  const how = describeEnd(end, timeoutMs) + describeLimits(end, text);
  const forLLM = `${how}${warning}\n${text === '' ? '(no output)' : text}`;
  const data = {
    exitCode: end.exitCode ?? null,
    signal: end.signal ?? null,
    durationMs: Math.round(end.durationMs),
    bytesLeftOut: output.leftOut(),
    ...(end.stoppedBy === undefined && end.leftRunning.length > 0 ? { endedProcesses: end.leftRunning } : {}),
  };
  if (end.stoppedBy === undefined) return { forLLM, data };
  return { forLLM, data, isError: true, outcome: end.stoppedBy === 'timeout' ? 'timeout' : 'cancelled' };
}

export function describeEnd(end: ProcessEnd | Error, timeoutMs?: number): string {
  if (end instanceof Error) return end.message;
  const detached = describeDetached(end);
  const seconds = (end.durationMs / 1000).toFixed(1);
  if (end.stoppedBy === 'timeout')
    return `It was stopped: it ran longer than ${(timeoutMs ?? end.durationMs) / 1000} s.${detached}`;
  if (end.stoppedBy === 'abort') return `It was stopped after ${seconds} s.${detached}`;
  const code = end.exitCode === undefined ? 'It ended without an exit code' : `Exit code ${end.exitCode}`;
  const how = end.signal === undefined ? code : `It was ended by ${end.signal}`;
  return `${how} after ${seconds} s.${describeRest(end, timeoutMs === undefined)}${detached}${describeCleared(end)}`;
}

/** Says what limits a command that failed and looks as if it had reached a limit; empty otherwise. */
export function describeLimits(end: ProcessEnd | Error, output: string): string {
  if (end instanceof Error || end.limits === undefined || end.stoppedBy !== undefined || end.exitCode === 0) return '';
  if (!AT_LIMIT.test(output) && !LIMIT_CODES.has(end.exitCode)) return '';
  return ` It may have reached a limit of isolated commands: ${end.limits}.`;
}

const MAX_NAMED = 5;

function describeRest({ leftRunning }: ProcessEnd, isInBackground: boolean): string {
  if (leftRunning.length === 0) return '';
  const advice = isInBackground
    ? 'the command itself has to go on, for example with wait at its end'
    : 'to keep a process running, start it with background: true';
  return ` The processes that it left running${listed(leftRunning)} were ended with it; ${advice}.`;
}

function describeDetached({ detached }: ProcessEnd): string {
  if (detached.length === 0) return '';
  const names = listed(detached);
  return names === ''
    ? ' A detached process may still be running; its output is no longer read.'
    : ` What it detached from itself${names} still runs; its output is no longer read.`;
}

function describeCleared({ cleared = [] }: ProcessEnd): string {
  if (cleared.length === 0) return '';
  return ` Set-user-ID and set-group-ID were removed from files that it left${listed(cleared)}.`;
}

function listed(all: readonly string[]): string {
  const names = all.slice(0, MAX_NAMED).flatMap((name) => (name === '' ? [] : [visibleText(name)]));
  const more = all.length - names.length;
  return names.length === 0 ? '' : ` (${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}
