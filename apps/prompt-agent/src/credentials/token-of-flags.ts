import type { ExecFileException } from 'node:child_process';
import { resolve } from 'node:path';
import { findOnPath } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { pathFrom } from '../files/paths.ts';
import { requireText } from '../files/read-file.ts';
import { splitCommand } from '../options/split-command.ts';
import { warnIfSlow } from '../output/output.ts';
import { runProgram } from './run-program.ts';

const TIMEOUT_MS = 30_000;

/**
 * Returns the call with the credential of `--token`, `--token-file` or `--token-command` as `--token`. Rejects with a usage error that names the flag, never the
 * credential.
 */
export async function withToken(call: CommandCall): Promise<CommandCall> {
  const { flags, host, output } = call;
  const { 'token-file': file, 'token-command': command, token } = flags;
  if ([token, file, command].filter((each) => each !== undefined).length > 1)
    throw usageError('--token, --token-file and --token-command exclude each other.');
  if (token !== undefined)
    output.note(
      'warning: --token can be seen by other users of this machine (ps); --token-file or prompt-agent keys set cannot',
    );
  if (file === undefined && command === undefined) return call;
  const read =
    file === undefined
      ? await run(command ?? '', call)
      : (await requireText(pathFrom(host, file), '--token-file', file)).trim();
  if (read === '') throw usageError(`${file === undefined ? '--token-command' : '--token-file'} gave nothing.`);
  output.hide(read);
  return { ...call, flags: { ...flags, token: read } };
}

/** Runs a command without a shell. A program that is only named is looked up where nobody else can have put it. */
async function run(command: string, { host: { cwd }, output, signal }: CommandCall): Promise<string> {
  const [program = '', ...args] = splitCommand(command, '--token-command');
  const path = /[/\\]/.test(program) ? resolve(cwd, program) : findOnPath(program, { workspace: cwd });
  if (path === undefined)
    throw usageError(
      `--token-command: program "${program}" was not found on the PATH, where this folder and its repository do not count. To run one from there, give its path.`,
    );
  const stopWarning = warnIfSlow(output, `--token-command: ${program}`);
  try {
    return (await runProgram(path, args, { signal, timeoutMs: TIMEOUT_MS })).trim();
  } catch (error) {
    signal.throwIfAborted();
    throw usageError(`--token-command: ${program} ${problemOf(error)}.`);
  } finally {
    stopWarning();
  }
}

function problemOf(error: unknown): string {
  const { code, killed } = error instanceof Error ? (error as Partial<ExecFileException>) : {};
  if (String(code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'printed more than 64 KiB';
  return killed === true ? `gave nothing within ${TIMEOUT_MS / 1000} s` : `ended with ${code ?? 'an error'}`;
}
