import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createOutput } from '../src/output/output.ts';
import { warnIfSlow } from '../src/output/output.ts';
import { started } from './waiting.support.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a pipe that nobody writes to, and that stays open,', () => {
  test.each([[['-q']], [['-q', '-t', 'x']]])(
    'is told of where the prompt is needed from it, with %j, and ends with exit 2 after a minute',
    async (args) => {
      verifies('cli.ask.stdin.open');
      const { code, pass, texts } = started(args);
      await pass(5000);
      expect(texts.stderr).toBe('waiting for stdin: nothing has arrived yet\n');
      await pass(55_000);
      expect(await code).toBe(2);
      expect(texts.stderr).toContain('Nothing came from stdin within 60 s');
    },
  );

  test.each([[['-q', '-f', '-', 'last line']], [['-q', '-f', '/dev/stdin', 'last line']]])(
    'is waited for ten minutes where the command line names it, as %j does',
    async (args) => {
      verifies('cli.ask.stdin.open');
      const { code, pass, stdin, texts } = started(args);
      await pass(5000);
      expect(texts.stderr).toBe('waiting for stdin: nothing has arrived yet\n');
      await pass(594_000);
      stdin.end('one\ntwo\n');
      expect(await code).toBe(0);
      expect(texts.stdout).toBe('two\n');
    },
  );

  test.each([
    ['', 'Nothing came from stdin within 600 s.'],
    ['x', 'Neither more data nor the end of input came from stdin within 600 s.'],
  ])('that has had %j and then nothing for ten minutes is exit 2', async (before, message) => {
    verifies('cli.ask.stdin.open');
    const { code, pass, stdin, texts } = started(['-q', '-f', '-', 'last line']);
    await pass(500_000);
    stdin.write(before);
    await pass(500_000);
    if (before !== '') await pass(100_000);
    expect(await code).toBe(2);
    expect(texts.stderr).toContain(message);
  });

  test('is read to its end once something has come, which is said with -q, too', async () => {
    verifies('cli.ask.stdin.open');
    const { code, pass, stdin, texts } = started(['-q', 'last line']);
    stdin.write('one\n');
    await pass(5000);
    expect(texts.stderr).toBe('waiting for the end of stdin\n');
    await pass(120_000);
    stdin.end('two\n');
    expect(await code).toBe(0);
    expect(texts.stdout).toBe('two\n');
  });

  test('does not hold up a tool without arguments, and a key that never comes is exit 2', async () => {
    verifies('cli.ask.stdin.open');
    const called = started(['tools', 'call', 'datetime', '--json'], []);
    await called.pass(5000);
    expect(await called.code).toBe(0);
    expect(called.texts.stderr).toContain('The tool is called without arguments.');
    const kept = started(['keys', 'set', 'openai'], []);
    await kept.pass(60_000);
    expect(await kept.code).toBe(2);
  });
});

test('a chat whose stdin stays silent says what it waits for, and is exit 2 after ten minutes', async () => {
  verifies('cli.ask.stdin.open');
  const silent = started(['-q'], ['chat', '--provider', 'offline', '--no-session']);
  await silent.pass(5000);
  expect(silent.texts.stderr).toBe('waiting for messages on stdin, one a line\n');
  await silent.pass(595_000);
  expect(await silent.code).toBe(2);
  expect(silent.texts.stderr).toContain('Nothing came from stdin within 600 s. Pipe the messages in, one a line.');
  const slow = started(['-q'], ['chat', '--provider', 'offline', '--no-session']);
  await slow.pass(500_000);
  slow.stdin.write('1+1\n');
  while (slow.texts.stdout === '') await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(3_600_000);
  slow.stdin.end('2+2\n');
  expect(await slow.code).toBe(0);
  expect(slow.texts.stdout).toContain('4');
});

test('a wait of more than five seconds is told of, also with -q, and a shorter one is not', () => {
  verifies('cli.waits');
  const stderr = new PassThrough().setEncoding('utf8');
  const output = createOutput({ stdout: new PassThrough(), stderr });
  output.quiet();
  const stop = warnIfSlow(output, 'the server');
  vi.advanceTimersByTime(4999);
  expect(stderr.read()).toBeNull();
  vi.advanceTimersByTime(1);
  expect(stderr.read()).toBe('waiting for the server\n');
  stop();
  warnIfSlow(output, 'the other server')();
  vi.advanceTimersByTime(60_000);
  expect(stderr.read()).toBeNull();
});
