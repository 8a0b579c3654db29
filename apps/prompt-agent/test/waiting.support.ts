import { PassThrough } from 'node:stream';
import { vi } from 'vitest';
import { main } from '../src/main.ts';
import { workspace } from './program.ts';

/** The program, whose stdin is a pipe that somebody holds open. Its time passes only when it is told to. */
export function started(
  args: readonly string[],
  before: readonly string[] = ['--provider', 'offline', '--no-session'],
) {
  const texts = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new PassThrough().setEncoding('utf8').on('data', (piece: string) => {
      texts[name] += piece;
    });
  const stdin = new PassThrough();
  const home = workspace({ 'a.txt': 'text\n' });
  const stopped = new AbortController();
  const code = main({
    argv: [...before, ...args],
    env: { PATH: process.env['PATH'], TZ: 'UTC', PROMPT_AGENT_SERVERS: '' },
    cwd: home,
    home,
    stdin,
    stdout: into('stdout'),
    stderr: into('stderr'),
    signal: stopped.signal,
  });
  return {
    stop: () => stopped.abort(new Error('interrupted')),
    code,
    stdin,
    texts,
    async pass(ms: number) {
      while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
