import { createInlineSandbox, createWorkerSandbox } from '@kernel/code-mode';
import { sandboxConformance, verifies } from '@kernel/testing';
import { describe, test } from 'vitest';

describe('in a worker', () => {
  for (const { name, run } of sandboxConformance(() => createWorkerSandbox()))
    test(name, async () => {
      verifies('codeMode.sandbox');
      await run();
    });
});

describe('in the calling thread', () => {
  for (const { name, run } of sandboxConformance(() => createInlineSandbox(), { isInline: true })) test(name, run);
});
