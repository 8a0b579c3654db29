// What each part of a run costs: CPU a turn of loops of ten tool turns without a network, with one part more than the loop has by itself.
// The provider answers at once, so that nothing else is measured. Rounds of all parts are interleaved; medians of the differences.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, median } from './measure.js';
import { packages } from './ours.js';
import { objectOf, LARGER_TOOLS } from './tools.js';

const { agent, durable, providers, tools, web } = await packages('agent', 'durable', 'providers', 'tools', 'agent/web');
const TURNS = 10;
const LOOPS = 150;
const ROUNDS = 21;
const WARMUP = 8;
const MESSAGES = [{ role: 'user', content: 'Go.' }];
const INPUT = JSON.stringify({ a: 'words', b: 1, c: 'up', d: ['title'], e: '2026-01-01', f: true, g: 3, h: ['Ada'] });
const USAGE = { inputTokens: 10, outputTokens: 5 };

/** Calls ten tools one after another, and then answers. */
const provider = {
  name: 'scripted',
  async *stream({ messages }) {
    const turn = messages.filter(({ role }) => role === 'tool').length;
    const calls = turn < TURNS ? [{ type: 'tool-call', id: `c${turn}`, name: `tool_${turn}`, arguments: INPUT }] : [];
    yield { type: 'text-delta', text: 'Hm.' };
    yield {
      type: 'message-end',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }, ...calls] },
      finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
      usage: USAGE,
    };
  },
};

const bindings = LARGER_TOOLS.map((tool) => tools.bindTool({ ...tool, effect: 'read' }, objectOf));
const registry = tools.createRegistry(bindings);
const base = { provider, model: 'm', messages: MESSAGES, tools: registry, limits: { turns: TURNS + 2 } };
const allow = () => ({ decision: 'allow' });

/** Each makes the events of one loop. */
const PARTS = {
  'the loop': () => agent.run(base),
  'without the guard against repeats': () => agent.run({ ...base, limits: { ...base.limits, repeats: false } }),
  'an approval asked for each call': () => agent.run({ ...base, approve: allow }),
  'secrets of 20 characters to redact': runWith({
    tools: tools.createRegistry(bindings, { secrets: ['s'.repeat(20)] }),
  }),
  'details of calls in events': runWith({ tools: tools.createRegistry(bindings, { detail: true }) }),
  withRetry: runWith({ provider: providers.withRetry(provider) }),
  withUsage: runWith({ provider: providers.withUsage(provider) }),
  'withHooks on model and tools': runWith({
    provider: agent.withHooks(provider, { beforeModel() {}, afterModel() {} }),
    tools: agent.withHooks(registry, { beforeTool() {}, afterTool() {} }),
  }),
  'withCompaction that finds nothing to do': runWith({ provider: agent.withCompaction(provider, { maxTokens: 1e6 }) }),
  prepareTurn: runWith({ prepareTurn() {} }),
  'a session in memory': () => agent.runSession({ ...base, session: agent.createMemorySession() }),
  'events as an HTTP response': () => web.clientEvents(agent.run(base)),
};

function runWith(more) {
  const options = { ...base, ...more };
  return () => agent.run(options);
}

async function loops(make) {
  for (let at = 0; at < LOOPS; at += 1) for await (const event of make()) void event;
}

const perTurn = (cpuMs, count) => (cpuMs * 1000) / count / (TURNS + 1);
const costs = new Map(Object.keys(PARTS).map((name) => [name, []]));
for (let round = -WARMUP; round < ROUNDS; round += 1) {
  for (const [name, make] of Object.entries(PARTS)) {
    const { cpuMs } = await measure(() => loops(make));
    if (round >= 0) costs.get(name).push(perTurn(cpuMs, LOOPS));
  }
}

console.log(
  `Node ${process.version}; CPU of one turn with one call; medians of ${ROUNDS} interleaved rounds of ${LOOPS} loops`,
);
const loop = costs.get('the loop');
for (const [name, all] of costs) {
  const difference = median(all.map((cost, at) => cost - loop[at]));
  const more = all === loop ? '' : `, ${difference >= 0 ? '+' : '−'}${Math.abs(difference).toFixed(1)} µs`;
  console.log(`${name.padEnd(42)} ${median(all).toFixed(1)} µs${more}`);
}
console.log(`${'a journal in one file (durable)'.padEnd(42)} ${(await journalCost()).toFixed(1)} µs of wall`);

/** A turn in a journal is a step for the model and one for the call. */
async function journalCost() {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-bench-'));
  const db = durable.openDurable(join(folder, 'runs.db'));
  const worker = db.work({ agents: { bench: { run: (context) => agent.run({ ...base, ...context }) } } });
  const walls = [];
  for (let at = 0; at < 40; at += 1) {
    const { wallMs } = await measure(async () => {
      await db.start(`run-${at}`, { agent: 'bench', messages: MESSAGES });
      const { status } = await db.result(`run-${at}`);
      if (status !== 'done') throw new Error(status);
    });
    if (at >= 10) walls.push(perTurn(wallMs, 1));
  }
  await worker.drain();
  db.close();
  rmSync(folder, { recursive: true });
  return median(walls);
}
