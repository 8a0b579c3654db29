import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { main } from '../src/main.ts';
import { workspace } from './program.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The program, whose stdin is a pipe that somebody holds open. Its time passes only when it is told to. */
function started(args: readonly string[], before: readonly string[] = ['--provider', 'offline', '--no-session']) {
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

describe('a pipe that nobody writes to, and that stays open,', () => {
  test.each([[['1+1']], [['-q', '1+1']], [['-q', '--prompt', '1+1']]])(
    'does not hold up %j: after five seconds the program goes on, and says so',
    async (args) => {
      verifies('cli.ask.stdin.open');
      const { code, pass, stdin, texts } = started(args);
      await pass(4999);
      expect(texts).toEqual({ stdout: '', stderr: '' });
      await pass(1);
      expect(await code).toBe(0);
      expect(texts.stdout).toBe('2\n');
      expect(texts.stderr).toContain(
        'nothing came from stdin within 5 s. The prompt is sent without it; to wait for it, use -f -.',
      );
      expect(stdin.isPaused()).toBe(true);
    },
  );
});

test('an MCP server that does not answer is told of, also with -q, as long as it is waited for', async () => {
  verifies('cli.waits');
  const { code, pass, stdin, stop, texts } = started(['-q', '--execute', '--tools', 'sleep 1000', '1+1']);
  stdin.end();
  while (texts.stderr === '') await pass(200);
  expect(texts.stderr).toBe('waiting for the MCP servers of --tools to answer\n');
  stop();
  vi.useRealTimers();
  expect(await code).toBe(130);
});
