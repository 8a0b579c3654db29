import type { ExecFileException } from 'node:child_process';
import { join, resolve } from 'node:path';
import { findOnPath } from '@kernel/internal';
import { splitCommand } from '../options/split-command.ts';
import { readText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import type { Flags } from '../options/flags.ts';
import { type Output, warnIfSlow } from '../output/output.ts';
import { usageError } from '../exit-code.ts';
import { runProgram } from './run-program.ts';

const TIMEOUT_MS = 30_000;

/**
 * Returns the credential of `--token`, `--token-file` or `--token-command`; undefined without any of them. Rejects with a usage error that names the
 * flag, never the credential.
 */
export async function tokenOfFlags(
  flags: Flags,
  { cwd, home }: Pick<Host, 'cwd' | 'home'>,
  output: Output,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { 'token-file': file, 'token-command': command, token } = flags;
  if ([token, file, command].filter((each) => each !== undefined).length > 1)
    throw usageError('--token, --token-file and --token-command exclude each other.');
  if (token !== undefined) {
    output.note(
      'warning: --token can be seen by other users of this machine (ps); --token-file or prompt-agent keys set cannot',
    );
    return token;
  }
  const read =
    file === undefined
      ? command === undefined
        ? undefined
        : await run(command, cwd, output, signal)
      : await load(file, cwd, home);
  if (read === '') throw usageError(`${file === undefined ? '--token-command' : '--token-file'} gave nothing.`);
  output.hide(read);
  return read;
}

async function load(file: string, cwd: string, home: string): Promise<string> {
  const path = file.startsWith('~/') ? join(home, file.slice(2)) : resolve(cwd, file);
  const text = await readText(path, '--token-file', file);
  if (text === undefined) throw usageError(`--token-file: "${file}" cannot be read (ENOENT).`);
  return text.trim();
}

/** Runs a command without a shell. A program that is only named is looked up where nobody else can have put it. */
async function run(command: string, cwd: string, output: Output, signal: AbortSignal): Promise<string> {
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
