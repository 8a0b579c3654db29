import { copyFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { JsonValue, StepExecutor } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createChanges } from '../src/database/changes.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { createGroupCommit } from '../src/database/group-commit.ts';
import { openDurable } from '../src/index.ts';
import { startWorker } from '../src/worker/worker.ts';
import { agentOf, step } from './steps.ts';
import { journal, journalPath, messages, worker } from './support.ts';

/** An agent with this many calls in a row, each of which logs that it ran. */
const calls = (count: number, ran: string[], output: JsonValue = {}) =>
  agentOf(async (steps: StepExecutor) => {
    for (let index = 0; index < count; index += 1)
      await steps.all([step(`tool:${index}`, () => (ran.push(String(index)), output), { effect: 'idempotent' })]);
    return count;
  });

const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => String(index));

test('case 14: a file that another connection locks for 7 seconds: runs go on afterwards, nothing is lost, and no lease', async () => {
  verifies('durable.cases.14');
  const path = journalPath();
  const [db, other] = [journal(path), journal(path)];
  const ran: string[] = [];
  const errors: unknown[] = [];
  const run = calls(200, ran);
  for (const each of [db, other])
    worker(each, { agents: { a: { run } }, leaseMs: 1000, onError: (error) => errors.push(error) });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(() => ran.length).toBeGreaterThan(5);
  const raw = new DatabaseSync(path);
  raw.exec('BEGIN IMMEDIATE');
  const during = db.start('y', { agent: 'none', messages });
  const before = ran.length;
  await new Promise((resolve) => setTimeout(resolve, 7000));
  expect(ran.length).toBeLessThan(before + 3);
  raw.exec('COMMIT');
  expect(await during).toBe(true);
  expect(await db.result('x')).toMatchObject({ status: 'done', crashes: 0 });
  expect([ran, errors]).toEqual([numbers(200), []]);
  expect(raw.prepare("SELECT epoch FROM runs WHERE id = 'x'").get()).toEqual({ epoch: 1 });
  raw.close();
});

/** A worker over a connection whose file can be made full. */
function workerOn(raw: Database, run: ReturnType<typeof calls>): void {
  const changes = createChanges(raw);
  const writer = createGroupCommit(raw, changes.notify);
  const at = startWorker(raw, writer, changes, { agents: { a: { run } }, leaseMs: 100, onError: () => undefined });
  onTestFinished(async () => {
    await at.drain(0);
    changes.close();
    raw.close();
  });
}

test('case 14: a full disk gives the run back without counting a death, and it goes on when there is space', async () => {
  verifies('durable.cases.14');
  const path = journalPath();
  const db = journal(path);
  const raw = openDatabase(path, 'process');
  const ran: string[] = [];
  const pages = Number(raw.get('PRAGMA page_count')?.['page_count']);
  raw.exec(`PRAGMA max_page_count = ${pages + 30}`);
  workerOn(raw, calls(60, ran, 'x'.repeat(4000)));
  await db.start('x', { agent: 'a', messages });
  // The disk is full more than once.
  await expect.poll(() => ran.length - new Set(ran).size).toBeGreaterThan(1);
  expect(new Set(ran).size).toBeLessThan(60);
  raw.exec('PRAGMA max_page_count = 100000');
  expect(await db.result('x')).toMatchObject({ status: 'done', crashes: 0 });
  // Only the call whose result did not fit was repeated.
  expect([...new Set(ran)]).toEqual(numbers(60));
  expect(new Set(ran.filter((each, index) => ran.indexOf(each) !== index)).size).toBe(1);
});

test('case 14: a log that is torn anywhere opens, and a run goes on behind what is left of it', async () => {
  verifies('durable.cases.14');
  const path = journalPath();
  const db = openDurable(path);
  const at = db.work({ agents: { a: { run: calls(20, []) } } });
  await db.start('x', { agent: 'a', messages });
  await db.result('x');
  const sizes = statSync(`${path}-wal`).size;
  const whole = [path, `${path}-wal`].map((each) => readFileSync(each));
  expect(whole[1]?.length).toBe(sizes);
  let shorter = 0;
  for (let part = 0; part <= 24; part += 1) {
    const torn = journalPath();
    copyFileSync(path, torn);
    copyFileSync(`${path}-wal`, `${torn}-wal`);
    // In the middle of a frame as well as at its end.
    truncateSync(`${torn}-wal`, Math.floor((sizes * part) / 24) + (part % 3 === 0 ? 0 : -7));
    const left = openDurable(torn);
    const raw = new DatabaseSync(torn);
    expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const recorded = raw.prepare("SELECT id FROM steps WHERE state = 'done'").all().length;
    raw.close();
    const ran: string[] = [];
    const again = left.work({ agents: { a: { run: calls(20, ran) } }, leaseMs: 100 });
    await left.start('x', { agent: 'a', messages });
    expect(await left.result('x')).toMatchObject({ status: 'done', result: { answer: '20' } });
    expect(ran).toEqual(numbers(20).slice(recorded));
    shorter += recorded < 20 ? 1 : 0;
    await again.drain();
    left.close();
  }
  expect(shorter).toBeGreaterThan(15);
  await at.drain();
  db.close();
});

test('a file that cannot be read for a while ends no process that waits', async () => {
  verifies('durable.cases.14');
  const db = openDatabase(journalPath(), 'process');
  let fails = true;
  const flaky: Database = {
    ...db,
    get(sql, ...values) {
      if (fails) throw new Error('disk I/O error');
      return db.get(sql, ...values);
    },
  };
  const changes = createChanges(flaky);
  onTestFinished(() => {
    changes.close();
    db.close();
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const heard = new Promise((resolve) => changes.subscribe(resolve));
  await vi.advanceTimersByTimeAsync(100);
  fails = false;
  await vi.advanceTimersByTimeAsync(100);
  expect(await heard).toBe('signal');
});
