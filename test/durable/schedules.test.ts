import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@kernel/agent';
import { openDurable } from '@kernel/durable';
import { scriptedProvider, verifies } from '@kernel/testing';
import { openScheduleStore, runSchedules } from '@kernel/toolbox/schedules';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';

test('a schedule that is due starts one run, also if its process dies right after it was started', async () => {
  verifies('durable.schedules');
  const folder = mkdtempSync(join(tmpdir(), 'schedules-'));
  const [schedules, journal] = [join(folder, 'schedules.db'), join(folder, 'runs.db')];
  const store = openScheduleStore(schedules);
  const db = openDurable(journal);
  let paid = 0;
  const pay = bindTool(
    { name: 'pay', description: 'Pays.', parameters: { type: 'object' }, effect: 'external' },
    () => `Paid ${(paid += 1)}.`,
  );
  const provider = scriptedProvider([{ calls: [{ name: 'pay', id: 'c', arguments: '{}' }] }, { text: 'Paid.' }]);
  const tools = createRegistry([pay]);
  const worker = db.work({ agents: { a: { run: (on) => run({ provider, model: 'm', tools, ...on }) } } });
  onTestFinished(async () => {
    await worker.drain(0);
    db.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const nowMs = Date.now();
  store.add('Pay the rent.', { at: nowMs }, {}, nowMs - 1000);
  const died = spawnSync(process.execPath, [join(import.meta.dirname, 'fixtures/scheduler.ts'), schedules, journal]);
  expect(died.signal).toBe('SIGKILL');
  // The run does not wait for the scheduler.
  const [started] = await db.list();
  expect(await db.result(started?.id ?? '')).toMatchObject({ status: 'done', result: { answer: 'Paid.' } });
  // As if the scheduler had been dead for longer than its turn.
  store.lease('this', nowMs + 120_000, nowMs + 120_000);
  store.release('this');
  const stop = new AbortController();
  const isNew: boolean[] = [];
  await runSchedules({
    store,
    repeatUnfinished: true,
    signal: stop.signal,
    async run({ id, task: content }, signal) {
      isNew.push(await db.start(id, { agent: 'a', messages: [{ role: 'user', content }] }));
      const { result } = await db.result(id, { signal });
      setImmediate(() => stop.abort());
      return result?.answer ?? '';
    },
  });
  expect(isNew).toEqual([false]);
  expect(store.runs(5)).toMatchObject([{ id: started?.id, state: 'done', outcome: 'Paid.' }]);
  expect([paid, (await db.list()).length]).toEqual([1, 1]);
});
