/**
 * A crash test: kills workers of a journal a number of times, and counts calls that were lost, repeated or ran under another key, and invalid histories:
 * `node --conditions=@kernel/source test/durable/crash.ts --kills 200 [--workers 2] [--stop] [--naive]`
 *
 * `--stop` also freezes workers for longer than their lease. `--naive` declares payments as reads: some must then be entered twice, or the test is blind.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDurable } from '@kernel/durable';
import { type Message, type ToolCall, toolCallsOf } from '@kernel/protocol';

/** Options of the crash test. */
export interface CrashOptions {
  /** How many times a worker is killed. */
  readonly kills: number;
  /** How many workers at a time. */
  readonly workers: number;
  /** Whether workers are frozen too. */
  readonly stop: boolean;
  /** Whether payments are declared as reads. */
  readonly naive: boolean;
  /** The Node that the workers run on. Default: this one. */
  readonly execPath?: string | undefined;
}

/** What the crash test counted. */
export interface CrashReport {
  /** How many workers were killed, and frozen. */
  readonly kills: number;
  readonly stops: number;
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
  /** Runs whose history has a call without exactly one result, or a result without its call. */
  readonly invalidHistories: number;
}

const LEASE_MS = 400;
const CALLS: Readonly<Record<string, readonly string[]>> = {
  plain: ['l1', 'p1', 's1', 'p2', 'p3'],
  approved: ['l1', 'p1', 's1', 'p2', 'p3'],
  chosen: ['l1', 'p1', 's1', 'p2', 'p3'],
  agents: ['l1', 'p1', 's1', 'p2', 'p3'],
  program: ['l1', 'p1', 's1', 'p2', 'p3'],
  team: ['p1', 'p2', 'l1'],
  dies: ['dies'],
};
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs the crash test. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  const [path, log] = [join(folder, 'runs.db'), join(folder, 'entered.log')];
  const db = openDurable(path);
  const children = new Set<ChildProcess>();
  let [kills, stops, started, rounds] = [0, 0, 0, 0];
  let isOver = false;

  const spawnWorker = (): void => {
    const args = [path, log, options.naive ? 'naive' : 'sound', String(LEASE_MS)];
    const child = fork(join(import.meta.dirname, 'fixtures/worker.ts'), args, {
      stdio: ['ignore', 'ignore', options.execPath === undefined ? 'inherit' : 'ignore', 'ipc'], // Node 22 warns of SQLite
      ...(options.execPath === undefined ? {} : { execPath: options.execPath }),
    });
    children.add(child);
    child.on('exit', () => {
      children.delete(child);
      kills += 1;
      if (!isOver) spawnWorker();
    });
  };
  const startRuns = async (): Promise<void> => {
    const open = [...(await db.list({ status: 'queued' })), ...(await db.list({ status: 'running' }))].length;
    for (let index = open; index < 8 * options.workers; index += 1) {
      const agent = Object.keys(CALLS)[started % Object.keys(CALLS).length] ?? '';
      started += 1;
      // oxlint-disable-next-line no-await-in-loop
      await db.start(`${agent}-${started}`, { agent, messages: [{ role: 'user', content: 'Go' }] });
    }
  };

  try {
    for (let count = 0; count < options.workers; count += 1) spawnWorker();
    while (kills < options.kills) {
      rounds += 1;
      // oxlint-disable-next-line no-await-in-loop
      await startRuns();
      // oxlint-disable-next-line no-await-in-loop
      await wait(100 + Math.random() * 300);
      const victims = [...children].filter(({ connected }) => connected);
      const victim = victims[Math.floor(Math.random() * victims.length)];
      if (options.stop && rounds % 5 === 2 && victim !== undefined) {
        stops += 1;
        victim.kill('SIGSTOP');
        // oxlint-disable-next-line no-await-in-loop
        await wait(LEASE_MS * 2);
        victim.kill('SIGCONT');
      } else victim?.kill('SIGKILL');
    }
    const runs = await db.list({ limit: 1_000_000 });
    await Promise.all(runs.map(({ id }) => db.result(id, { signal: AbortSignal.timeout(120_000) })));
    return await judge();
  } finally {
    isOver = true;
    const ended = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }

  async function judge(): Promise<CrashReport> {
    const entered = new Map<string, string[]>();
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
    let payments = 0;
    for (const line of lines) {
      const [runId, callId, name, key] = JSON.parse(line) as [string, string, string, string];
      if (name === 'pay') payments += 1;
      entered.set(`${runId} ${callId}`, [...(entered.get(`${runId} ${callId}`) ?? []), key]);
    }
    let [lost, duplicated, changedKeys, unknown, invalidHistories, done] = [0, 0, 0, 0, 0, 0];
    const runs = await db.list({ limit: 1_000_000 });
    for (const run of runs) {
      done += run.status === 'done' ? 1 : 0;
      invalidHistories += isSoundHistory(run.result?.messages ?? []) ? 0 : 1;
      const told = new Set<string>();
      // oxlint-disable-next-line no-await-in-loop
      for await (const { event } of db.events(run.id))
        if (event.type === 'tool-end' && event.result.code === 'OUTCOME_UNKNOWN') told.add(nameOf(event.call));
      for (const callId of CALLS[run.agent] ?? []) {
        const keys = entered.get(`${run.id} ${callId}`) ?? [];
        unknown += told.has(callId) ? 1 : 0;
        lost += keys.length === 0 && !told.has(callId) ? 1 : 0;
        duplicated += keys.length > 1 && (callId.startsWith('p') || callId === 'dies') ? 1 : 0;
        changedKeys += new Set(keys).size > 1 ? 1 : 0;
      }
    }
    return {
      kills,
      stops,
      runs: runs.length,
      done,
      entered: lines.length,
      payments,
      lost,
      duplicated,
      changedKeys,
      unknown,
      invalidHistories,
    };
  }
}

/** Whether each call of a history has one result, behind it. */
function isSoundHistory(messages: readonly unknown[]): boolean {
  const open = new Set<string>();
  for (const message of messages as readonly Message[])
    if (message.role === 'assistant') for (const { id } of toolCallsOf(message)) open.add(id);
    else if (message.role === 'tool' && !open.delete(message.toolCallId)) return false;
  return messages.length > 0 && open.size === 0;
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
      workers: { type: 'string', default: '1' },
      stop: { type: 'boolean', default: false },
      naive: { type: 'boolean', default: false },
    },
  });
  const report = await crash({ ...values, kills: Number(values.kills), workers: Number(values.workers) });
  console.log(JSON.stringify(report));
  const isSound =
    report.lost + report.duplicated + report.changedKeys + report.invalidHistories === 0 && report.done === report.runs;
  process.exitCode = isSound === values.naive ? 1 : 0;
}
