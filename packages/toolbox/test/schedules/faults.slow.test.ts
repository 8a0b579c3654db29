import { fork } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolContext, ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  runSchedules,
  type ScheduledRun,
  type SchedulerOptions,
  type ScheduleStore,
  scheduleTool,
} from '../../src/schedules/index.ts';
import { nextTime } from '../../src/schedules/next-time.ts';
import { openStore, storePath, type VirtualClock, virtualClock } from './support.ts';

const START = Date.parse('2026-03-02T12:00:00Z');
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const HOURLY = { cron: '0 * * * *', timeZone: 'UTC' };

function start(clock: VirtualClock, options: Partial<SchedulerOptions> & { readonly store: ScheduleStore }) {
  const runs: ScheduledRun[] = [];
  const errors: unknown[] = [];
  const controller = new AbortController();
  const ended = runSchedules({
    run: (run) => {
      runs.push(run);
      return Promise.resolve('done');
    },
    onError: (error) => void errors.push(error),
    ...options,
    clock,
    signal: controller.signal,
  });
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  return { runs, errors, stop, dueTimes: () => runs.map(({ dueMs }) => new Date(dueMs).toISOString().slice(0, 16)) };
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('two processes on one file', () => {
  it('one that was paused between its look and its record begins nothing of the other one', async () => {
    verifies('toolbox.schedules.one');
    const file = await storePath();
    const [paused, other] = [openStore(file), openStore(file)];
    paused.add('hourly', HOURLY, {}, START);
    expect(paused.lease('paused', START, START + 30_000)).toBe(true);
    const [seen] = paused.due(START + HOUR);
    if (seen === undefined) throw new Error('nothing is due');
    // It stands still here, for three hours.
    const clock = virtualClock(START + 3.5 * HOUR);
    const second = start(clock, { store: other });
    await clock.advance(20_000);
    paused.begin('paused', seen, [START + HOUR], START + 2 * HOUR, START + HOUR);
    expect(paused.start('paused', 10, START + HOUR)).toEqual([]);
    await clock.advance(HOUR);
    await second.stop();
    expect(second.errors).toEqual([]);
    expect(second.dueTimes()).toEqual(['2026-03-02T15:00', '2026-03-02T16:00']);
  });

  it('a run that outlives its lease does not end what another process began again', async () => {
    verifies('toolbox.schedules.crash');
    const file = await storePath();
    const [slow, other] = [openStore(file), openStore(file)];
    const schedule = slow.add('hourly', HOURLY, {}, START);
    slow.lease('slow', START, START + 30_000);
    slow.begin('slow', schedule, [START + HOUR], START + 2 * HOUR, START + HOUR);
    const [run] = slow.start('slow', 1, START + HOUR);
    if (run === undefined) throw new Error('nothing began');
    other.lease('other', START + HOUR + 60_000, START + HOUR + 90_000);
    other.takeOver('other', true, START + HOUR + 60_000);
    const [again] = other.start('other', 1, START + HOUR + 60_000);
    expect(again).toMatchObject({ id: run.id, attempt: 1 });
    slow.end(run, 'unknown', 'The run was stopped.', START + HOUR + 61_000);
    expect(other.runs(1)[0]?.state).toBe('running');
    other.end({ id: run.id, attempt: 1 }, 'done', 'mine', START + HOUR + 62_000);
    slow.end(run, 'failed', 'late', START + HOUR + 63_000);
    expect(other.runs(1)[0]).toMatchObject({ state: 'done', outcome: 'mine' });
  });

  it('of three that are stopped and go on at random none runs what another one did', async () => {
    verifies('toolbox.schedules.one');
    const file = await storePath();
    openStore(file).add('often', { cron: '* * * * *', timeZone: 'UTC' }, {}, START);
    const begun: string[] = [];
    const children = [1, 2, 3].map(() => {
      const child = fork(new URL('paused-scheduler.ts', import.meta.url), [file, String(START), String(Date.now())], {
        execArgv: ['--conditions=@kernel/source', '--disable-warning=ExperimentalWarning'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.on('message', (id) => begun.push(JSON.stringify(id)));
      return child;
    });
    await vi.waitUntil(() => begun.length > 0, { timeout: 120_000 });
    for (let round = 0; round < 15; round += 1) {
      const child = children[round % 3];
      await sleep(20 + ((round * 7) % 30));
      child?.kill('SIGSTOP');
      // A lease lasts for 30 of these milliseconds.
      await sleep(40 + ((round * 13) % 60));
      child?.kill('SIGCONT');
    }
    await vi.waitUntil(() => begun.length > 8, { timeout: 120_000 });
    for (const child of children) child.kill('SIGKILL');
    expect(begun.filter((id, index) => begun.indexOf(id) !== index)).toEqual([]);
  });

  it('runs that wait when a process ends run in the next one: nothing of them was done', async () => {
    verifies('toolbox.schedules.crash');
    const clock = virtualClock(START + HOUR);
    const store = openStore(await storePath());
    for (let count = 0; count < 50; count += 1) store.add(`task ${count}`, { at: START + HOUR }, {}, START);
    const begun = new Set<string>();
    const first = start(clock, {
      store,
      parallel: 4,
      run: ({ id }) => {
        begun.add(id);
        return new Promise(() => {});
      },
    });
    await clock.advance(10);
    await first.stop();
    expect(begun.size).toBe(4);
    const second = start(clock, { store });
    await clock.advance(60_000);
    await second.stop();
    expect(second.runs).toHaveLength(46);
    expect(second.runs.filter(({ id }) => begun.has(id))).toEqual([]);
  });
});

describe('a clock that is changed', () => {
  it('back by a year: the lease of a dead process is void, and patterns go on from now', async () => {
    verifies('toolbox.schedules.clock');
    const file = await storePath();
    const store = openStore(file);
    store.add('hourly', HOURLY, {}, START + YEAR);
    store.lease('dead', START + YEAR, START + YEAR + 30_000);
    const clock = virtualClock(START);
    const { dueTimes, stop } = start(clock, { store: openStore(file) });
    await clock.advance(2 * HOUR);
    await stop();
    expect(dueTimes()).toEqual(['2026-03-02T13:00', '2026-03-02T14:00']);
  });

  it('forward and back by a year while it runs: nothing runs twice, and it stays the one that does', async () => {
    verifies('toolbox.schedules.clock');
    const file = await storePath();
    const store = openStore(file);
    store.add('hourly', HOURLY, {}, START);
    const base = virtualClock(START);
    let shiftMs = 0;
    const clock: VirtualClock = { ...base, now: () => base.now() + shiftMs };
    const { dueTimes, runs, stop } = start(clock, { store });
    await clock.advance(HOUR);
    shiftMs = YEAR;
    await clock.advance(HOUR);
    shiftMs = 0;
    await clock.advance(HOUR);
    expect(openStore(file).lease('other', clock.now(), clock.now() + 30_000)).toBe(false);
    await stop();
    expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length);
    expect(dueTimes()).toEqual(['2026-03-02T13:00', '2027-03-02T13:00', '2027-03-02T14:00', '2026-03-02T15:00']);
  });

  it.each([
    ['2026-10-24T22:00:00Z', '30 2 * * *', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['2026-03-28T22:00:00Z', '30 2 * * *', ['2026-03-29T01:00', '2026-03-30T00:30']],
    // Two o'clock comes twice: a pattern for several hours goes by the hours that pass.
    ['2026-10-24T23:30:00Z', '0 1-3 * * *', ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00']],
    ['2026-03-28T23:30:00Z', '0 1-3 * * *', ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T23:00']],
  ])('by the season: from %s %s is due at %j', (from, cron, expected) => {
    verifies('toolbox.schedules.run');
    const due: string[] = [];
    let last = Date.parse(from);
    while (due.length < expected.length) {
      last = nextTime({ cron, timeZone: 'Europe/Berlin' }, last) ?? Number.NaN;
      due.push(new Date(last).toISOString().slice(0, 16));
    }
    expect(due).toEqual(expected);
  });

  it.each(['US/Pacific', 'Asia/Calcutta', 'europe/berlin', '+02:00', 'Australia/Lord_Howe'])(
    'the zone %s is known',
    async (timeZone) => {
      const store = openStore(await storePath());
      expect(store.add('a', { cron: '0 9 * * *', timeZone }, {}, START).nextMs).toBeGreaterThan(START);
    },
  );
});

describe('times that passed', () => {
  it('once makes up for the last of them, however many there were', async () => {
    verifies('toolbox.schedules.missed');
    const store = openStore(await storePath());
    store.add('often', { cron: '* * * * *', timeZone: 'UTC' }, {}, START);
    const clock = virtualClock(START + 1000 * HOUR + 30_000);
    const once = start(clock, { store });
    await clock.advance(10);
    await once.stop();
    expect(once.runs.map(({ dueMs }) => dueMs)).toEqual([START + 1000 * HOUR]);
  });

  it('skip runs the one that is due now', async () => {
    verifies('toolbox.schedules.missed');
    const store = openStore(await storePath());
    store.add('often', { cron: '* * * * *', timeZone: 'UTC' }, {}, START);
    const clock = virtualClock(START + 1000 * HOUR + 30_000);
    const { runs, stop } = start(clock, { store, missed: 'skip' });
    await clock.advance(10);
    await stop();
    expect(runs.map(({ dueMs }) => dueMs)).toEqual([START + 1000 * HOUR]);
  });
});

describe('a file that is damaged or cannot be written', () => {
  it.each([
    ["time = '{'", 'text that is no JSON'],
    [`time = '{"cron":"x","timeZone":"UTC"}'`, 'a pattern that is none'],
    [`time = '{"cron":"* * * * *","timeZone":"Mars/Phobos"}'`, 'a zone that is gone'],
    ["limits = 'null'", 'limits that are none'],
  ])('one schedule with %s (%s) is over and says so, and the others go on', async (damage) => {
    verifies('toolbox.schedules.damaged');
    const file = await storePath();
    const clock = virtualClock(START);
    const store = openStore(file);
    const { id } = store.add('damaged', HOURLY, {}, START);
    store.add('good', HOURLY, {}, START);
    change(file, `UPDATE schedule SET ${damage} WHERE id = '${id}'`);
    const { runs, stop } = start(clock, { store });
    await clock.advance(2.5 * HOUR);
    await stop();
    expect(runs.map(({ task }) => task)).toEqual(['good', 'good']);
    expect(store.runs(10).filter(({ task }) => task === 'damaged')).toMatchObject([
      { state: 'failed', outcome: 'The schedule cannot be read, so it is over.' },
    ]);
  });

  it('a run with a damaged row is left out, and the others are taken over', async () => {
    verifies('toolbox.schedules.damaged');
    const file = await storePath();
    const store = openStore(file);
    for (const task of ['a', 'b']) store.add(task, HOURLY, {}, START);
    store.lease('dead', START, START + 30_000);
    for (const schedule of store.list()) store.begin('dead', schedule, [START + HOUR], START + 2 * HOUR, START + HOUR);
    store.start('dead', 2, START + HOUR);
    change(file, "UPDATE run SET limits = '{' WHERE task = 'a'");
    const clock = virtualClock(START + 1.5 * HOUR);
    const { runs, stop } = start(clock, { store, repeatUnfinished: true });
    await clock.advance(10);
    await stop();
    expect(runs.map(({ task }) => task)).toEqual(['b']);
  });

  it('the answer of a run is recorded once the disk has room again, and as an answer', async () => {
    verifies('toolbox.schedules.full');
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    store.add('hourly', HOURLY, {}, START);
    let isFull = false;
    const full: ScheduleStore = {
      ...store,
      end: (...args) => {
        if (isFull) throw new Error('database or disk is full');
        store.end(...args);
      },
    };
    const { errors, stop } = start(clock, {
      store: full,
      run: async () => {
        isFull = true;
        return 'the answer';
      },
    });
    await clock.advance(HOUR + 30_000);
    expect(errors.length).toBeGreaterThan(0);
    expect(store.runs(1)[0]?.state).toBe('running');
    isFull = false;
    await clock.advance(20_000);
    expect(store.runs(1)[0]).toMatchObject({ state: 'done', outcome: 'the answer' });
    await stop();
  });

  it('one schedule whose record fails keeps no other one from running', async () => {
    verifies('toolbox.schedules.full');
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    for (const task of ['bad', 'good']) store.add(task, HOURLY, {}, START);
    const bad = store.list().find(({ task }) => task === 'bad')?.id;
    const failing: ScheduleStore = {
      ...store,
      begin: (owner, schedule, ...rest) => {
        if (schedule.id === bad) throw new Error('broken');
        store.begin(owner, schedule, ...rest);
      },
    };
    const { runs, stop } = start(clock, { store: failing });
    await clock.advance(HOUR + 5_000);
    await stop();
    expect(runs.map(({ task }) => task)).toEqual(['good']);
  });

  it('a take-over that fails at first is tried again', async () => {
    verifies('toolbox.schedules.full');
    const store = openStore(await storePath());
    const schedule = store.add('hourly', HOURLY, {}, START);
    store.lease('dead', START + HOUR, START + HOUR + 30_000);
    store.begin('dead', schedule, [START + HOUR], START + 2 * HOUR, START + HOUR);
    store.start('dead', 1, START + HOUR);
    let failures = 2;
    const flaky: ScheduleStore = {
      ...store,
      takeOver: (...args) => {
        if (failures-- > 0) throw new Error('database is locked');
        store.takeOver(...args);
      },
    };
    const clock = virtualClock(START + 1.5 * HOUR);
    const { stop } = start(clock, { store: flaky });
    await clock.advance(40_000);
    await stop();
    expect(store.runs(1)[0]?.state).toBe('unknown');
  });
});

describe('the size of things', () => {
  it('an answer of 100 MB is kept as its beginning', async () => {
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    store.add('large', HOURLY, {}, START);
    const { stop } = start(clock, { store, run: async () => 'x'.repeat(100_000_000) });
    await clock.advance(HOUR);
    await stop();
    expect(store.runs(1)[0]?.outcome).toHaveLength(10_000);
  });

  it('a time limit of more than 24 days is one, and none at all is none', async () => {
    verifies('toolbox.schedules.limits');
    for (const timeoutMs of [30 * 24 * HOUR, Infinity]) {
      const waits: number[] = [];
      const base = virtualClock(START);
      const clock: VirtualClock = {
        ...base,
        wait: (ms, signal) => {
          waits.push(ms);
          return base.wait(ms, signal);
        },
      };
      const store = openStore(await storePath());
      store.add('long', HOURLY, {}, START);
      const { stop } = start(clock, { store, timeoutMs, run: () => new Promise(() => {}) });
      await clock.advance(HOUR + 1000);
      await stop();
      // A timer of Node fires at once for more than that.
      expect(Math.max(...waits)).toBeLessThan(2 ** 31);
      expect(store.runs(1)[0]?.outcome).toBe('The run was stopped.');
    }
  });

  it('what is deleted while its runs wait does not run, and what is at work goes on', async () => {
    verifies('toolbox.schedules.removed');
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    for (const task of ['a', 'b']) store.add(task, HOURLY, {}, START);
    const begun: string[] = [];
    const { stop } = start(clock, {
      store,
      parallel: 1,
      run: ({ task, scheduleId }) => {
        begun.push(task);
        for (const { id } of store.list()) store.remove(id);
        expect(store.remove(scheduleId)).toBe(false);
        return Promise.resolve('done');
      },
    });
    await clock.advance(HOUR + 1000);
    await stop();
    expect(begun).toHaveLength(1);
    expect(store.runs(10)).toMatchObject([{ state: 'done' }]);
  });

  it('schedules that are over go with their last runs', async () => {
    verifies('toolbox.schedules.removed');
    const file = await storePath();
    const clock = virtualClock(START);
    const store = openStore(file);
    const { stop } = start(clock, { store });
    const { id } = store.add('a', { at: START + 1000 }, {}, START);
    await clock.advance(60_000);
    // 1,100 more that ended as this one did.
    const database = new DatabaseSync(file);
    for (const [table, name, columns] of [
      ['schedule', 'id', 'task, time, limits, next_ms, created_ms'],
      ['run', 'schedule_id', 'id || n, task, limits, due_ms, attempt, state, started_ms, ended_ms, outcome'],
    ])
      database.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)
        INSERT INTO ${table} (${name}, ${columns?.replace('id || n', 'id')}) SELECT ${name} || n, ${columns} FROM ${table}, numbers WHERE ${name} = '${id}'`);
    store.add('a', { at: clock.now() + 1000 }, {}, clock.now());
    await clock.advance(60_000);
    await stop();
    expect(database.prepare('SELECT count(*) AS n FROM schedule').get()).toEqual({ n: 1000 });
    database.close();
  });
});

describe('schedule', () => {
  const use = async (now = START) => {
    const store = openStore(await storePath());
    const tool = scheduleTool({ store, timeZone: 'UTC', clock: { now: () => now } });
    return { store, call: (input: object) => tool.handler(input as never, {} as ToolContext) as ToolResult };
  };

  it.each([
    ['* * 1 1 *', /more often than every 5 minutes/],
    ['0,1 23 1 * *', /more often than every 5 minutes/],
    ['0,59 0,23 * * *', /more often than every 5 minutes/],
    ['0,50 0,23 * * *', /^Made/],
    ['0 9 29 2 *', /^Made/],
    ['*/5 * * * *', /^Made/],
  ])('%s, whose gaps may be far away: %s', async (cron, expected) => {
    verifies('toolbox.schedules.tool');
    const { call } = await use();
    const answer = (): string => {
      try {
        return call({ action: 'create', task: 'a', cron }).forLLM;
      } catch (error) {
        return String(error);
      }
    };
    expect(answer()).toMatch(expected);
  });

  it.each(['1-31-2027', '2027-02-30T09:00:00Z', '5 January 2027 +0100', '2027-01-31T25:00:00Z'])(
    'the time %s is refused, not guessed',
    async (at) => {
      verifies('toolbox.schedules.tool');
      const { call } = await use();
      expect(() => call({ action: 'create', task: 'a', at })).toThrow('cannot be read');
    },
  );

  it('lists the first hundred, each shortened, and how many are left', async () => {
    verifies('toolbox.schedules.tool');
    const { call, store } = await use();
    for (let count = 0; count < 105; count += 1) store.add('x'.repeat(10_000), HOURLY, {}, START);
    const { forLLM } = call({ action: 'list' });
    expect(forLLM.length).toBeLessThan(40_000);
    expect(forLLM).toMatch(/… and 5 more$/);
  });
});
