import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Toolset } from '@kernel/protocol';
import { run } from '@kernel/agent';
import { type Durable, type LogEvent, openDurable, type DurableContext } from '@kernel/durable';
import { scriptedProvider, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';

const messages = [{ role: 'user', content: 'Go' }] as const;

interface World {
  readonly db: Durable;
  /** Starts a worker in a process of its own; one that dies is followed by another. */
  readonly work: () => void;
  /** Kills the worker. */
  readonly kill: () => void;
  /** The calls that entered their handlers, as `run call key`. */
  readonly entered: (runId: string) => readonly string[];
  /** How many workers have died. */
  readonly deaths: () => number;
}

function world(): World {
  const folder = mkdtempSync(join(tmpdir(), 'cases-'));
  const [path, log] = [join(folder, 'runs.db'), join(folder, 'entered.log')];
  const db = openDurable(path);
  let child: ChildProcess | undefined;
  let [isOver, deaths] = [false, 0];
  const work = (): void => {
    child = fork(join(import.meta.dirname, 'fixtures/cases-worker.ts'), [path, log], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.once('exit', () => {
      deaths += 1;
      if (!isOver) work();
    });
  };
  onTestFinished(async () => {
    isOver = true;
    await new Promise((resolve) => (child === undefined ? resolve(0) : child.once('exit', resolve).kill('SIGKILL')));
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = (): readonly string[] => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []);
  return {
    db,
    work,
    kill: () => child?.kill('SIGKILL'),
    entered: (runId) => lines().filter((line) => line.startsWith(`${runId} `)),
    deaths: () => deaths,
  };
}

async function eventsOf(db: Durable, id: string): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for await (const event of db.events(id, { follow: false })) events.push(event);
  return events;
}

/** The calls whose outcome the model was told to be unknown. */
async function unknownIn(db: Durable, id: string): Promise<readonly string[]> {
  const events = await eventsOf(db, id);
  return events.flatMap(({ event }) =>
    event.type === 'tool-end' && event.result.code === 'OUTCOME_UNKNOWN' ? [event.call.id] : [],
  );
}

test('case 4: a worker that is killed with 20 runs loses none of them and repeats none of their calls', async () => {
  verifies('durable.cases.4');
  const { db, work, kill, entered } = world();
  const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
  for (const id of ids) await db.start(id, { agent: 'slow', messages });
  work();
  await expect.poll(() => ids.filter((id) => entered(id).length > 0).length).toBe(20);
  kill();
  for (const id of ids) {
    expect(await db.result(id)).toMatchObject({ status: 'done', result: { answer: 'ok' } });
    const calls = entered(id).map((line) => line.split(' ')[1] ?? '');
    const unknown = await unknownIn(db, id);
    expect([...new Set([...calls, ...unknown])].toSorted()).toEqual(['c0', 'c1', 'c2']);
    expect(new Set(calls).size).toBe(calls.length);
  }
});

test('case 8: a tool that is gone is told to the model, and the run goes on as it had begun', async () => {
  verifies('durable.cases.8');
  const { db } = world();
  const tool = (name: string): Toolset =>
    createRegistry([
      bindTool({ name, description: name, parameters: { type: 'object' }, effect: 'read' }, () => `${name} done`),
    ]);
  let turns = 0;
  const agent = (tools: Toolset, fails: boolean) => (context: DurableContext) => {
    const provider = scriptedProvider(
      [{ calls: [{ name: 'old', id: 'c1', arguments: '{}' }] }, { text: 'ok' }].slice(fails ? 0 : 1),
    );
    const counted = {
      ...provider,
      stream: (...args: Parameters<typeof provider.stream>) => ((turns += 1), provider.stream(...args)),
    };
    return run({ provider: counted, model: 'm', tools, ...context });
  };
  // The first worker stops between the reply and its call.
  const first = db.work({ agents: { a: { run: (on) => agent(tool('old'), true)(cut(on)) } } });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(async () => (await db.status('x'))?.status).toBe('failed');
  await first.drain();
  const second = db.work({ agents: { a: { run: agent(tool('new'), false) } } });
  await db.retry('x');
  const { status, result } = await db.result('x');
  await second.drain();
  expect([status, result?.answer, turns]).toEqual(['done', 'ok', 2]);
  expect(JSON.stringify(result?.messages)).toContain('TOOL_NOT_FOUND');
});

/** An executor that fails before the first call. */
function cut(context: DurableContext): DurableContext {
  const { steps } = context;
  const all: typeof steps.all = (batch) =>
    batch.some(({ kind }) => kind === 'tool') ? Promise.reject(new Error('cut')) : steps.all(batch);
  return { ...context, steps: { ...steps, all } };
}

test('case 9: a tool that kills its process affects none of five others, and its run fails', async () => {
  verifies('durable.cases.9');
  const { db, work, entered, deaths } = world();
  const ids = ['n1', 'n2', 'n3', 'n4', 'n5'];
  await db.start('k', { agent: 'killer', messages });
  for (const id of ids) await db.start(id, { agent: 'neighbor', messages });
  work();
  const killer = await db.result('k');
  expect(killer).toMatchObject({ status: 'failed', crashes: 4, result: { error: { code: 'LIMIT_REACHED' } } });
  expect(deaths()).toBe(4);
  for (const id of ids) {
    expect(await db.result(id)).toMatchObject({ status: 'done', result: { answer: 'ok' } });
    const keys = Map.groupBy(entered(id), (line) => line.split(' ')[1] ?? '');
    expect([...keys.keys()].toSorted()).toEqual(['c0', 'c1', 'c2', 'c3']);
    for (const lines of keys.values()) expect(new Set(lines).size).toBe(1);
  }
});

test('case 13: of eight parallel calls that are killed at the fourth, what ended is kept and what had begun is unknown', async () => {
  verifies('durable.cases.13');
  const { db, work, entered } = world();
  await db.start('x', { agent: 'eight', messages });
  work();
  expect(await db.result('x')).toMatchObject({ status: 'done', result: { answer: 'ok' } });
  const calls = entered('x').map((line) => line.split(' ')[1] ?? '');
  expect(calls.toSorted()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8']);
  // The others had ended, and were written, long before it died.
  expect(await unknownIn(db, 'x')).toEqual(['c4']);
});

test('case 15: 600 steps, killed in the middle, go on and repeat one call', async () => {
  verifies('durable.cases.15');
  const { db, work, entered, deaths } = world();
  await db.start('x', { agent: 'long', messages });
  work();
  expect(await db.result('x')).toMatchObject({ status: 'done', result: { answer: 'ok', turns: 301 } });
  expect(deaths()).toBe(1);
  const calls = entered('x').map((line) => line.split(' ')[1] ?? '');
  expect([calls.length, new Set(calls).size]).toEqual([301, 300]);
  expect(calls.filter((id) => id === 'c145')).toHaveLength(2);
});

test('case 16: a reader that comes back at any event reads the rest, also of a run whose process died', async () => {
  verifies('durable.cases.16');
  const { db, work } = world();
  await db.start('x', { agent: 'eight', messages });
  work();
  await db.result('x');
  const all = await eventsOf(db, 'x');
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
  expect(all.at(-1)?.event.type).toBe('run-end');
  expect(all.every(({ at }) => Math.abs(at - Date.now()) < 3_600_000)).toBe(true);
  for (let after = 0; after <= all.length; after += 1) {
    const rest: LogEvent[] = [];
    for await (const event of db.events('x', { after })) rest.push(event);
    expect(rest).toEqual(all.slice(after));
  }
});
