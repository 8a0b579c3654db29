/**
 * Measures many conversations over a few workers: `node test/restate/load.ts [--parked 10000] [--running 200] [--workers 4] [--steps 20]`. Build first.
 *
 * Prints how fast conversations start, what the server and the workers hold in memory, how long a step takes alone and with all running conversations
 * beside the parked ones, and how long a parked one takes to go on after a decision.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRestate, type RestateRuns } from '@kernel/restate';
import { startBalancer } from './balancer.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    parked: { type: 'string', default: '10000' },
    running: { type: 'string', default: '200' },
    workers: { type: 'string', default: '4' },
    steps: { type: 'string', default: '20' },
  },
});
const [parked, running, workers] = [Number(values.parked), Number(values.running), Number(values.workers)];
let lastTicks = 0;
const messages = [{ role: 'user', content: 'Pay the bill of the plumber, please.' }] as const;

interface Sample {
  readonly latencies: readonly number[];
  readonly entered: readonly (readonly [string, number])[];
  readonly rss: number;
}

const [server, balancer] = await Promise.all([startServer({ partitions: 8, isEager: false }), startBalancer()]);
const children: ChildProcess[] = [];
try {
  for (let index = 0; index < workers; index += 1) {
    const child = fork(join(import.meta.dirname, 'fixtures/load-worker.ts'), [values.steps]);
    children.push(child);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    balancer.add(Number(await new Promise((resolve) => child.once('message', resolve))));
  }
  await server.register(balancer.url);
  const { ingressUrl, adminUrl } = server;
  const waits = openRestate({ agent: 'waits', ingressUrl, adminUrl });
  const talks = openRestate({ agent: 'talks', ingressUrl, adminUrl });
  console.log(`${cpus().length} processors, ${workers} workers, Node ${process.versions.node}`);
  await warmUp(talks);
  await memory('before');

  for (const count of [1, 32, running]) await talk(talks, `alone ${count}`, count);
  await park(waits, parked);
  await memory(`with ${parked} parked`);
  for (const count of [1, running]) await talk(talks, `beside ${count}`, count);
  await memory(`with ${parked} parked, after ${running} running`);
  await resume(waits, Math.min(500, parked));
} finally {
  for (const child of children) child.kill();
  await server.close();
  await balancer.close();
}

async function warmUp(runs: RestateRuns): Promise<void> {
  await inTurns(20, 4, async (index) => {
    await runs.start(`warm ${index}`, { messages });
    await runs.result(`warm ${index}`);
  });
  await sample();
}

/** Starts conversations that wait for a decision, and waits until all do. */
async function park(runs: RestateRuns, count: number): Promise<void> {
  const begunMs = performance.now();
  await inTurns(count, 32, (index) => runs.start(`run-${index}`, { messages }));
  const startedMs = performance.now() - begunMs;
  let waiting = 0;
  while (waiting < count) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    waiting = (await runs.waiting()).length;
    if (performance.now() - begunMs > 900_000) throw new Error(`Only ${waiting} of ${count} wait.`);
  }
  const parkedMs = performance.now() - begunMs;
  console.log(
    `${count} conversations: accepted ${rate(count, startedMs)}, parked ${rate(count, parkedMs)} (${seconds(parkedMs)} in all)`,
  );
  const listMs = performance.now();
  await runs.waiting();
  console.log(`waiting() with ${count} calls: ${Math.round(performance.now() - listMs)} ms`);
  // Until the workers have let go of all, and the server has put its files in order.
  for (const restMs of [5000, 25_000, 5000]) {
    await load(1);
    await new Promise((resolve) => setTimeout(resolve, restMs));
    console.log(`nothing happens for ${restMs / 1000} s: ${await load(restMs)}`);
  }
}

/** Runs conversations at once, and tells how long their steps took. */
async function talk(runs: RestateRuns, title: string, count: number): Promise<void> {
  await load(1);
  const begunMs = performance.now();
  await inTurns(count, count, async (index) => {
    await runs.start(`${title} ${index}`, { messages });
    await runs.result(`${title} ${index}`);
  });
  const took = performance.now() - begunMs;
  const latencies = (await sample()).flatMap((each) => each.latencies);
  console.log(
    `${title} at once: a step ${quantiles(latencies)}, ${rate(latencies.length, took)} steps, ${await load(took)}`,
  );
}

/** Decides on parked calls, one after the other, and tells how long it takes until the handler is entered. */
async function resume(runs: RestateRuns, count: number): Promise<void> {
  const decided = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const id = `run-${index}`;
    decided.set(id, Date.now());
    await runs.decide(id, 'p1', { decision: 'allow' });
  }
  await inTurns(count, 32, (index) => runs.result(`run-${index}`));
  const entered = (await sample()).flatMap((each) => each.entered);
  const delays = entered.map(([id, at]) => at - (decided.get(id) ?? at));
  console.log(`from decide() to the handler of a parked call: ${quantiles(delays)}, ${delays.length} calls`);
}

async function sample(): Promise<readonly Sample[]> {
  return Promise.all(
    children.map(
      (child) =>
        new Promise<Sample>((resolve) => {
          child.once('message', (message) => resolve(message as Sample));
          child.send('sample');
        }),
    ),
  );
}

async function memory(title: string): Promise<void> {
  const each = (await sample()).map(({ rss }) => `${Math.round(rss / 2 ** 20)}`);
  console.log(`memory ${title}: server ${residentMb(server.pid())} MB, workers ${each.join(' + ')} MB`);
}

function residentMb(pid: number | undefined): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1]) / 1024);
}

/** The processors that the server took since the last call. */
async function load(ms: number): Promise<string> {
  const fields = readFileSync(`/proc/${server.pid()}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  const share = ((ticks - lastTicks) * 10) / ms;
  lastTicks = ticks;
  return `the server takes ${share.toFixed(2)} processors`;
}

/** Runs pieces of work, some of them at once. */
async function inTurns(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
}

function quantiles(given: readonly number[]): string {
  const sorted = given.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

function rate(count: number, ms: number): string {
  return `${Math.round(count / (ms / 1000))}/s`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
