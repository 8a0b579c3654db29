/**
 * A crash test: kills workers, and with `--server` the server, a number of times, and counts calls that were lost, repeated or ran under another key:
 * `node --conditions=@kernel/source test/restate/crash.ts --kills 100 [--workers 2] [--stop] [--server] [--naive]`
 *
 * `--stop` also freezes workers until the server gives them up. `--naive` declares payments as reads: some must then be entered
 * twice, or the test is blind.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ToolCall } from '@kernel/protocol';
import { openRestate, type RecordedRun } from '@kernel/restate';
import { startBalancer } from './balancer.ts';
import { CALLS as CALLS_OF_KINDS } from './fixtures/agents.ts';
import { startServer } from './server.ts';

/** Options of the crash test. */
export interface CrashOptions {
  /** How many times a worker is killed. */
  readonly kills: number;
  /** How many workers at a time. */
  readonly workers: number;
  /** Whether workers are frozen too. */
  readonly stop: boolean;
  /** Whether the server is killed too. */
  readonly server: boolean;
  /** Whether payments are declared as reads. */
  readonly naive: boolean;
}

/** What the crash test counted. */
export interface CrashReport {
  /** How many workers were killed, and frozen, and how often the server was killed. */
  readonly kills: number;
  readonly stops: number;
  readonly serverKills: number;
  /** How many runs there were, and how many are done. */
  readonly runs: number;
  readonly done: number;
  /** How often a handler was entered, and that of a payment. */
  readonly entered: number;
  readonly payments: number;
  /** Calls that were neither entered nor reported as unknown. */
  readonly lost: number;
  /** Payments that were entered more than once. */
  readonly duplicated: number;
  /** Calls that were entered under different keys. */
  readonly changedKeys: number;
  /** Calls that were reported as unknown. */
  readonly unknown: number;
}

const CALLS: Readonly<Record<string, readonly string[]>> = { ...CALLS_OF_KINDS, dies: ['dies'] };
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs the crash test. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  const log = join(folder, 'entered.log');
  const [server, balancer] = await Promise.all([startServer(), startBalancer()]);
  const { ingressUrl, adminUrl } = server;
  const runs = Object.fromEntries(
    Object.keys(CALLS).map((agent) => [agent, openRestate({ agent, ingressUrl, adminUrl })]),
  );
  const children = new Set<ChildProcess>();
  const ready = new Set<ChildProcess>();
  const started: (readonly [agent: string, id: string])[] = [];
  let [kills, stops, serverKills] = [0, 0, 0];
  let isOver = false;

  const spawnWorker = (): Promise<void> =>
    new Promise((resolve) => {
      const child = fork(join(import.meta.dirname, 'fixtures/worker.ts'), [log, options.naive ? 'naive' : 'sound'], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      children.add(child);
      let port = 0;
      child.once('message', (message) => {
        port = Number(message);
        balancer.add(port);
        ready.add(child);
        resolve();
      });
      child.once('exit', () => {
        children.delete(child);
        ready.delete(child);
        balancer.remove(port);
        kills += 1;
        if (!isOver) void spawnWorker();
      });
    });
  const startRuns = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const agent = Object.keys(CALLS)[started.length % Object.keys(CALLS).length] ?? '';
      const id = `${agent}-${started.length + 1}`;
      started.push([agent, id]);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await runs[agent]?.start(id, { messages: [{ role: 'user', content: 'Go' }] });
    }
  };

  try {
    await Promise.all(Array.from({ length: options.workers }, spawnWorker));
    await server.register(balancer.url);
    let rounds = 0;
    while (kills < options.kills) {
      rounds += 1;
      // oxlint-disable-next-line no-await-in-loop
      await startRuns(5 * options.workers);
      // oxlint-disable-next-line no-await-in-loop
      await wait(50 + Math.random() * 250);
      const victims = [...ready];
      const victim = victims[Math.floor(Math.random() * victims.length)];
      if (options.server && rounds % 3 === 2) {
        serverKills += 1;
        // oxlint-disable-next-line no-await-in-loop
        await server.kill();
        // oxlint-disable-next-line no-await-in-loop
        await server.start();
      } else if (options.stop && rounds % 5 === 2) {
        stops += 1;
        victim?.kill('SIGSTOP');
        // Longer than the keep-alive timeout of the server.
        // oxlint-disable-next-line no-await-in-loop
        await wait(3000);
        victim?.kill('SIGCONT');
      } else victim?.kill('SIGKILL');
    }
    const signal = AbortSignal.timeout(120_000);
    const ended = await Promise.all(
      started.map(([agent, id]) => runs[agent]?.result(id, { signal }) ?? Promise.reject(new Error(agent))),
    );
    return await judge(ended);
  } finally {
    isOver = true;
    const gone = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(gone);
    await server.close();
    await balancer.close();
    rmSync(folder, { recursive: true, force: true });
  }

  async function judge(ended: readonly RecordedRun[]): Promise<CrashReport> {
    const entered = new Map<string, string[]>();
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
    let payments = 0;
    for (const line of lines) {
      const [runId, callId, name, key] = JSON.parse(line) as [string, string, string, string];
      if (name === 'pay') payments += 1;
      entered.set(`${runId} ${callId}`, [...(entered.get(`${runId} ${callId}`) ?? []), key]);
    }
    let [lost, duplicated, changedKeys, unknown, done] = [0, 0, 0, 0, 0];
    for (const run of ended) {
      done += run.status === 'done' ? 1 : 0;
      const told = new Set<string>();
      const events = runs[run.agent]?.events(run.id, { follow: false }) ?? [];
      // oxlint-disable-next-line no-await-in-loop
      for await (const { event } of events)
        if (event.type === 'tool-end' && event.result.code === 'OUTCOME_UNKNOWN') told.add(nameOf(event.call));
      for (const callId of CALLS[run.agent] ?? []) {
        const keys = entered.get(`${run.id} ${callId}`) ?? [];
        unknown += told.has(callId) ? 1 : 0;
        lost += keys.length === 0 && !told.has(callId) ? 1 : 0;
        duplicated += keys.length > 1 && (callId.startsWith('p') || callId === 'dies') ? 1 : 0;
        changedKeys += new Set(keys).size > 1 ? 1 : 0;
      }
    }
    const counts = { kills, stops, serverKills, runs: ended.length, done, entered: lines.length, payments };
    return { ...counts, lost, duplicated, changedKeys, unknown };
  }
}

/** What the calls of an agent are told apart by: a program says which is which. */
function nameOf({ id, arguments: json }: ToolCall): string {
  const { as: given = id } = JSON.parse(json) as { readonly as?: string };
  return given;
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '50' },
      workers: { type: 'string', default: '2' },
      stop: { type: 'boolean', default: false },
      server: { type: 'boolean', default: false },
      naive: { type: 'boolean', default: false },
    },
  });
  const report = await crash({ ...values, kills: Number(values.kills), workers: Number(values.workers) });
  console.log(JSON.stringify(report));
  const isSound = report.lost + report.duplicated + report.changedKeys === 0 && report.done === report.runs;
  process.exitCode = isSound === values.naive ? 1 : 0;
}
