/**
 * What a journal costs: `node test/durable/cost.ts`. Prints microseconds for a step with `process` and `power` durability, alone and with 32 runs at
 * once, for a step of an agent whose calls have effects and whose events are logged, the processor time of an idle worker, the memory of 2,000 parked runs, and how long 600 recorded steps take to be replayed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent, JsonValue, Provider, Step, StepExecutor } from '@kernel/protocol';
import { run } from '@kernel/agent';
import { bindTool, createRegistry } from '@kernel/tools';
import { type Durability, type Durable, openDurable, type DurableContext } from '@kernel/durable';

const folder = mkdtempSync(join(tmpdir(), 'cost-'));
const messages = [{ role: 'user', content: 'Go' }] as const;
const totals = {
  type: 'run-end',
  reason: 'done',
  answer: '',
  turns: 1,
  messages: [],
  usage: { inputTokens: 0, outputTokens: 0 },
} as const;
let files = 0;

function open(durability: Durability = 'process'): Durable {
  files += 1;
  return openDurable(join(folder, `${files}.db`), { durability });
}

function agentOf(body: (steps: StepExecutor, context: DurableContext) => Promise<unknown>) {
  return async function* agent(context: DurableContext): AsyncGenerator<AgentEvent> {
    await body(context.steps, context);
    yield totals;
  };
}

const result: JsonValue = { result: { forLLM: 'x'.repeat(200) } };
function step(id: string, output: JsonValue = result): Step {
  return { id, kind: 'tool', input: { call: { id } }, run: async () => output };
}

async function stepCost(durability: Durability, runs: number, steps: number): Promise<number> {
  const db = open(durability);
  const loop = agentOf(async (executor) => {
    // oxlint-disable-next-line no-await-in-loop -- a run takes one step after the other
    for (let index = 0; index < steps; index += 1) await executor.all([step(`tool:${index}`)]);
  });
  const worker = db.work({ agents: { a: { run: loop } }, maxRuns: runs });
  await db.start('warm', { agent: 'a', messages });
  await db.result('warm');
  const begunMs = performance.now();
  await Promise.all(Array.from({ length: runs }, (_, index) => db.start(`r${index}`, { agent: 'a', messages })));
  await Promise.all(Array.from({ length: runs }, (_, index) => db.result(`r${index}`)));
  const micros = ((performance.now() - begunMs) * 1000) / (runs * steps);
  await worker.drain();
  db.close();
  return micros;
}

/** The cost of a step of an agent: every other one is a call with an effect, which is written before and after. */
async function agentCost(runs: number, turns: number): Promise<number> {
  const db = open();
  const tools = createRegistry([
    bindTool({ name: 'pay', description: 'Pays.', parameters: { type: 'object' }, effect: 'external' }, () => 'Paid.'),
  ]);
  const provider: Provider = {
    name: 'scripted',
    async *stream(request) {
      await Promise.resolve();
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      const call = { type: 'tool-call', id: `c${turn}`, name: 'pay', arguments: JSON.stringify({ turn }) } as const;
      const text = { type: 'text', text: 'ok' } as const;
      const message = { role: 'assistant', content: [turn < turns ? call : text] } as const;
      yield { type: 'message-end', message, finishReason: turn < turns ? 'tool-calls' : 'stop' };
    },
  };
  const agent = (on: DurableContext) => run({ provider, model: 'm', tools, limits: { turns: 0 }, ...on });
  const worker = db.work({ agents: { a: { run: agent } }, maxRuns: runs });
  const ids = Array.from({ length: runs }, (_, index) => `r${index}`);
  await db.start('warm', { agent: 'a', messages });
  await db.result('warm');
  const begunMs = performance.now();
  await Promise.all(ids.map((id) => db.start(id, { agent: 'a', messages })));
  await Promise.all(ids.map((id) => db.result(id)));
  const micros = ((performance.now() - begunMs) * 1000) / (runs * (2 * turns + 1));
  await worker.drain();
  db.close();
  return micros;
}

async function resume(steps: number): Promise<number> {
  const db = open();
  let fails = true;
  const loop = agentOf(async (executor) => {
    // oxlint-disable-next-line no-await-in-loop -- as above
    for (let index = 0; index < steps; index += 1) await executor.all([step(`tool:${index}`)]);
    if (fails) throw new Error('once');
  });
  const worker = db.work({ agents: { a: { run: loop } } });
  await db.start('x', { agent: 'a', messages });
  await db.result('x');
  fails = false;
  const begunMs = performance.now();
  await db.retry('x');
  await db.result('x');
  const ms = performance.now() - begunMs;
  await worker.drain();
  db.close();
  return ms;
}

async function parked(runs: number): Promise<number> {
  const db = open();
  const call = { type: 'tool-call', id: 'c', name: 'pay', arguments: '{}', path: [], digest: 'd' };
  const loop = agentOf(async (executor) => {
    await executor.all([step('model:1')]);
    await executor.all([{ ...step('approve:c', { decision: 'later', pending: call }), kind: 'approve' }]);
  });
  const worker = db.work({ agents: { a: { run: loop, approve: () => ({ decision: 'later' }) } } });
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  for (let index = 0; index < runs; index += 1) {
    const begun = db.start(`r${index}`, { agent: 'a', messages });
    // oxlint-disable-next-line no-await-in-loop -- not all at once
    if (index % 50 === 49) await begun;
  }
  // oxlint-disable-next-line no-await-in-loop -- waits for all of them
  while ((await db.waiting()).length < runs) await new Promise((resolve) => setTimeout(resolve, 50));
  globalThis.gc?.();
  const megabytes = (process.memoryUsage.rss() - before) / 2 ** 20;
  await worker.drain();
  db.close();
  return megabytes;
}

async function idle(ms: number): Promise<number> {
  const db = open();
  const worker = db.work({ agents: { a: { run: agentOf(async () => undefined) } } });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, ms));
  const { user, system } = process.cpuUsage(before);
  await worker.drain();
  db.close();
  return (user + system) / 1000 / ms;
}

const us = (value: number): string => `${Math.round(value)} µs`;
console.log(
  'a step, process:',
  us(await stepCost('process', 1, 2000)),
  '· 32 runs at once:',
  us(await stepCost('process', 32, 200)),
);
console.log('a step of an agent:', us(await agentCost(1, 50)), '· 32 runs at once:', us(await agentCost(32, 50)));
console.log(
  'a step, power:',
  us(await stepCost('power', 1, 500)),
  '· 32 runs at once:',
  us(await stepCost('power', 32, 100)),
);
console.log('600 steps replayed:', `${Math.round(await resume(600))} ms`);
console.log('2,000 parked runs:', `${(await parked(2000)).toFixed(1)} MB more`);
console.log('idle:', `${((await idle(5000)) * 100).toFixed(2)} % of a processor`);
rmSync(folder, { recursive: true });
