import { spawn } from 'node:child_process';
import { isAnyCase, type Query } from './matcher.ts';

/** The largest answer of ripgrep: 64 MiB of file names. */
const MAX_BYTES = 67_108_864;

/** What ripgrep looks through, and how. */
interface RipgrepSearch extends Query {
  /** The program. */
  readonly program: string;
  /** The folder that it runs in. */
  readonly folder: string;
  /** The path below it. */
  readonly path: string;
  /** The largest file that it opens, in bytes. */
  readonly maxFileBytes: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * The paths of files that may contain a text, in no particular order; undefined if ripgrep cannot tell. It is asked for names alone, with rules that
 * leave out less than ours: the caller decides on each, and reads it as any other file.
 */
export async function ripgrepFiles(search: RipgrepSearch): Promise<readonly string[] | undefined> {
  const { folder, maxFileBytes, path, program, query, signal } = search;
  const flags = ['--no-config', '--files-with-matches', '--null', '--fixed-strings', '--text', '--hidden'];
  const rules = [
    '--no-ignore-global',
    '--no-ignore-exclude',
    '--no-ignore-parent',
    '--no-ignore-dot',
    '--no-require-git',
  ];
  const skip = [
    '--glob=!node_modules',
    '--glob=!.git',
    `--max-filesize=${maxFileBytes}`,
    '--no-messages',
    '--encoding=none',
  ];
  const what = [isAnyCase(search) ? '--ignore-case' : '--case-sensitive', `--regexp=${query}`, '--', `./${path}`];
  const child = spawn(program, [...flags, ...rules, ...skip, ...what], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) child.kill('SIGKILL');
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  signal.throwIfAborted();
  // 1: nothing found. 2: some files could not be read, which is so for the walker too, or it does not know an option.
  if (code !== 0 && code !== 1) return undefined;
  return Buffer.concat(chunks)
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.replace(/^(?:\.\/)+/, ''));
}
