import { execFile } from 'node:child_process';
import { childVariables, programPath } from '@kernel/internal';

interface ProgramInput {
  /** What it reads on stdin; a secret is never an argument, which other users could see. */
  readonly input?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const MAX_OUTPUT_BYTES = 65_536;

/** Runs a program without a shell and resolves to its stdout. Rejects if it cannot be started, fails, takes too long or prints more than 64 KiB. */
export function runProgram(
  program: string,
  args: readonly string[],
  { input, signal, timeoutMs }: ProgramInput,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      programPath(program),
      [...args],
      {
        // Two variables that name start-up files of shells.
        env: childVariables({ ...process.env, BASH_ENV: undefined, ENV: undefined }),
        signal,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
        encoding: 'utf8',
      },
      (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
    );
    child.stdin?.on('error', () => undefined).end(input);
  });
}
