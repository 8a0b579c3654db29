import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { started } from './waiting.support.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

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
