import { createWorkerSandbox } from '@kernel/code-mode';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

const limits = {
  memoryBytes: 64 * 1024 * 1024,
  computeMs: 5000,
  stackBytes: 256 * 1024,
  calls: 10,
  outputCharacters: 1000,
  sleepMs: 0,
};
const program = {
  source: 'return 1',
  tools: [],
  startedAt: 0,
  seed: 1,
  stored: {},
  limits,
  signal: new AbortController().signal,
};

test('a worker whose machine failed is given to no other program', async () => {
  verifies('codemode.workers');
  const sandbox = createWorkerSandbox();
  for (let at = 0; at < 3; at += 1) {
    // Its machine cannot be made, and so cannot be released.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a caller without types would
    const broken = await sandbox.start({ ...program, limits: undefined as never });
    await expect(broken.resume([])).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    broken.close();
    const next = await sandbox.start(program);
    expect(await next.resume([])).toMatchObject({ type: 'end', value: '1' });
    next.close();
  }
  await sandbox.close?.();
});

test('a sandbox refuses a time that cannot be meant', () => {
  verifies('codemode.options');
  const invalid = expect.objectContaining({ code: 'CONFIG_INVALID' });
  expect(() => createWorkerSandbox({ idle: -1 })).toThrow(invalid);
});
