import type { ToolResult } from '@kernel/protocol';
import type { OutputBuffer } from './process/output-buffer.ts';
import type { ProcessEnd } from './process/start-process.ts';

/** The result of a command that was waited for. A non-zero exit code is an answer, not a failure of the tool. */
export function toCommandResult(end: ProcessEnd, output: OutputBuffer, timeoutMs: number, warning: string): ToolResult {
  const text = output.text();
  const forLLM = `${describeEnd(end, timeoutMs)}${warning}\n${text === '' ? '(no output)' : text}`;
  const data = {
    exitCode: end.exitCode ?? null,
    signal: end.signal ?? null,
    durationMs: Math.round(end.durationMs),
    bytesLeftOut: output.leftOut(),
  };
  if (end.stoppedBy === undefined) return { forLLM, data };
  return { forLLM, data, isError: true, outcome: end.stoppedBy === 'timeout' ? 'timeout' : 'cancelled' };
}

/** How a command ended, in one line. */
export function describeEnd(end: ProcessEnd | Error, timeoutMs?: number): string {
  if (end instanceof Error) return end.message;
  const seconds = (end.durationMs / 1000).toFixed(1);
  if (end.stoppedBy === 'timeout')
    return `It was stopped: it ran longer than ${(timeoutMs ?? end.durationMs) / 1000} s.`;
  if (end.stoppedBy === 'abort') return `It was stopped after ${seconds} s.`;
  if (end.signal !== undefined) return `It was ended by ${end.signal} after ${seconds} s.`;
  return `Exit code ${end.exitCode ?? 0} after ${seconds} s.`;
}
