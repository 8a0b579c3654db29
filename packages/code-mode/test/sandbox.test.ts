import { createInlineSandbox } from '@kernel/code-mode';
import { sandboxConformance, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';

describe('in the calling thread', () => {
  const cases = sandboxConformance(() => createInlineSandbox(), { isInline: true });
  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, { run }) => {
    verifies('codemode.sandbox');
    await expect(run()).resolves.toBeUndefined();
  });
});
