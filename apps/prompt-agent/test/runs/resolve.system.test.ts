import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '@kernel/agent';
import { type Durable, openDurable } from '@kernel/durable';
import { scriptedProvider, verifies } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { type Outcome, promptHere, workspace } from '../program.ts';

const DIES = fileURLToPath(new URL('../fixtures/dies-in-call.ts', import.meta.url));

interface Journal {
  readonly db: Durable;
  readonly entered: string[];
  readonly runs: (...args: readonly string[]) => Promise<Outcome>;
}

/** A journal with a run whose process died in a payment, and a worker that waits for what becomes of it. */
async function unknownPayment(): Promise<Journal> {
  const cwd = workspace({ 'a.txt': 'x' });
  const path = join(cwd, 'runs.db');
  expect(spawnSync(process.execPath, [DIES, path]).signal).toBe('SIGKILL');
  const db = openDurable(path);
  const entered: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    effect: 'external',
    input: z.object({}),
    handler: (_, { callId }) => (entered.push(callId), 'Paid.'),
  });
  const tools = createRegistry([pay]);
  const provider = scriptedProvider([{ text: 'Done.' }]);
  const agent = {
    onUnknown: 'ask' as const,
    run: (on: object) => run({ provider, model: 'm', tools, messages: [], ...on }),
  };
  const worker = db.work({ agents: { payer: agent }, leaseMs: 400 });
  onTestFinished(async () => {
    await worker.drain(0);
    db.close();
  });
  await expect.poll(() => db.waiting('x')).toMatchObject([{ kind: 'unknown', callId: 'c1', call: { name: 'pay' } }]);
  return { db, entered, runs: (...args) => promptHere(['runs', ...args, '--journal', path], { cwd }) };
}

test.each([
  ['retry', 'pay c1 runs again\n', ['c1'], 'Paid.'],
  ['tell', 'pay c1 stays unknown\n', [], 'OUTCOME_UNKNOWN'],
  ['receipt 7, paid', 'pay c1 has its result\n', [], 'receipt 7, paid'],
] as const)('runs resolve %s settles a call whose outcome is unknown', async (answer, said, again, result) => {
  verifies('cli.runs.resolve');
  const { db, entered, runs } = await unknownPayment();
  expect(await runs('resolve', 'x', 'c1', answer)).toMatchObject({ code: 0, stdout: '', stderr: said });
  expect(JSON.stringify((await db.result('x')).result?.messages)).toContain(result);
  expect(entered).toEqual(again);
});

test('runs resolve says which calls are unknown, and what it needs', async () => {
  verifies('cli.runs.resolve');
  const { db, runs } = await unknownPayment();
  for (const [args, said] of [
    [['x'], 'runs resolve needs ID CALL, followed by retry, tell or the text'],
    [['x', 'c1'], 'runs resolve needs ID CALL, followed by retry, tell or the text'],
    [['x', 'c9', 'tell'], 'No call "c9" of run "x" has an unknown outcome. These do: c1 (pay).'],
    [['y', 'c1', 'tell'], 'There is no run "y".'],
  ] as const) {
    const { code, stderr } = await runs('resolve', ...args);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  }
  expect((await runs('approve', 'x', 'c1')).stderr).toContain('See prompt-agent runs resolve.');
  expect(JSON.parse((await runs('resolve', 'x', 'c1', 'tell', '--json')).stdout)).toEqual({
    version: 1,
    run: 'x',
    call: 'c1',
    answer: 'tell',
    name: 'pay',
    isDone: true,
    exitCode: 0,
  });
  await db.result('x');
  expect((await runs('resolve', 'x', 'c1', 'tell')).stderr).toContain('has an unknown outcome: it is done');
});
