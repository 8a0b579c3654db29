import type { StepExecutor } from '@kernel/protocol';
import { agentWorkflow, openRestate, type RestateRuns } from '@kernel/restate';
import { stepsConformance, type StepsUnderTest, verifies } from '@kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveOnLoopback, type TestEndpoint } from './endpoint.ts';
import { freePort, startServer, type TestServer } from './server.ts';
import { agentOf } from './fixtures/steps.ts';
import { messages } from './support.ts';

const bodies = new Map<string, (steps: StepExecutor) => Promise<void>>();
const run = agentOf(async (steps, { runId }) => {
  await bodies.get(runId)?.(steps);
  return null;
});
let server: TestServer;
let port: number;
let worker: TestEndpoint;
let runs: RestateRuns;
let subjects = 0;

const startWorker = async (): Promise<void> => {
  worker = await serveOnLoopback([agentWorkflow('conformance', { run })], port);
};

beforeAll(async () => {
  [server, port] = await Promise.all([startServer(), freePort()]);
  await startWorker();
  await server.register(worker.url);
  runs = openRestate({ agent: 'conformance', ingressUrl: server.ingressUrl, adminUrl: server.adminUrl });
});

afterAll(async () => {
  await server.close();
  await worker.close();
});

test.each(stepsConformance(makeSubject))('Restate: $name', async ({ run: check }) => {
  verifies('restate.conformance');
  await expect(check()).resolves.toBeUndefined();
});

function makeSubject(): StepsUnderTest {
  subjects += 1;
  const prefix = `${subjects}-`;
  return {
    // An intent is recorded before its step runs: nothing can be recorded within one.
    begins: 'step',
    async attempt(name, body) {
      const runId = `${prefix}${name}`;
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof body>>>();
      bodies.set(runId, async (steps) => {
        try {
          resolve(await body(steps));
        } catch (error) {
          // Another attempt may begin as soon as this one is written.
          void runs.result(runId).then(() => reject(error), reject);
          throw error;
        }
      });
      const [waiting] = await runs.waiting(runId);
      if (waiting !== undefined) {
        // Another process continues the waiting run.
        await worker.close();
        await startWorker();
        await runs.decide(runId, waiting.callId, { decision: 'allow' });
      } else if (!(await runs.start(runId, { messages }))) await runs.retry(runId);
      await Promise.race([promise.catch(() => undefined), isWaiting(runId)]);
      if ((await runs.waiting(runId)).length > 0) reject(new Error('The run waits.'));
      return promise;
    },
  };
}

/** Resolves when a call of a run waits for somebody. */
async function isWaiting(runId: string): Promise<void> {
  await expect.poll(async () => (await runs.waiting(runId)).length > 0 || isOver(runId), { interval: 100 }).toBe(true);
}

async function isOver(runId: string): Promise<boolean> {
  return ['done', 'failed'].includes((await runs.status(runId))?.status ?? '');
}
