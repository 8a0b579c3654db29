import { createWorkerSandbox } from '@kernel/code-mode';
import { sandboxConformance, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';

describe('in a worker', () => {
  const cases = sandboxConformance(() => createWorkerSandbox());
  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, { run }) => {
    verifies('codemode.sandbox');
    await expect(run()).resolves.toBeUndefined();
  });
});

test('a program within one operation of the language that takes long is ended with its worker', async () => {
  verifies('codemode.sandbox');
  const sandbox = createWorkerSandbox();
  const limits = {
    memoryBytes: 256 * 1024 * 1024,
    stackBytes: 256 * 1024,
    calls: 1,
    outputCharacters: 1000,
    sleepMs: 0,
  };
  const start = (source: string, computeMs: number) =>
    sandbox.start({
      source,
      tools: [],
      startedAt: 0,
      seed: 1,
      stored: {},
      limits: { ...limits, computeMs },
      signal: new AbortController().signal,
    });
  const long = await start('"a".repeat(2 ** 20).indexOf("a".repeat(2 ** 19) + "b")', 50);
  await expect(long.resume([])).rejects.toThrow('computed for more than 50 ms');
  const next = await start('return 1', 5000);
  expect(await next.resume([])).toMatchObject({ type: 'end', value: '1' });
  next.close();
  await sandbox.close?.();
});
