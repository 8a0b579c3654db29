import { stepsConformance, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { inProcessSteps } from '../../src/index.ts';

for (const { name, run } of stepsConformance(() => ({ isRecorded: false, attempt: (_, body) => body(inProcessSteps) })))
  test(`the executor in the process: ${name}`, async () => {
    verifies('durable.conformance');
    await expect(run()).resolves.toBeUndefined();
  });
