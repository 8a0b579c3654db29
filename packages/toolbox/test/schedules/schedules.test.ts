import { statSync, writeFileSync } from 'node:fs';
import type { ToolContext, ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import {
  type MissedRuns,
  openScheduleStore,
  runSchedules,
  type ScheduledRun,
  type SchedulerOptions,
  scheduleTool,
  type ScheduleToolOptions,
} from '../../src/schedules/index.ts';
import { openStore, storePath, type VirtualClock, virtualClock } from './support.ts';

const START = Date.parse('2026-03-28T12:00:00Z');
const HOUR = 3_600_000;
const HOURLY = { cron: '0 * * * *', timeZone: 'UTC' };

/** Runs schedules on a virtual clock until it is stopped. */
function start(
  clock: VirtualClock,
  options: Omit<SchedulerOptions, 'signal' | 'clock' | 'run'> & Partial<SchedulerOptions>,
) {
  const runs: ScheduledRun[] = [];
  const controller = new AbortController();
  const ended = runSchedules({
    run: (run) => {
      runs.push(run);
      return Promise.resolve('done');
    },
    ...options,
    clock,
    signal: controller.signal,
  });
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  return { runs, stop, dueTimes: () => runs.map(({ dueMs }) => new Date(dueMs).toISOString().slice(0, 16)) };
}

describe('runSchedules', () => {
  it('runs a pattern at its times, in its time zone, across a change of the clocks', async () => {
    verifies('toolbox.schedules.run');
    const clock = virtualClock(START + 12 * HOUR);
    const store = openStore(await storePath());
    for (const hour of [2, 4])
      store.add('morning', { cron: `30 ${hour} * * *`, timeZone: 'Europe/Berlin' }, { turns: 3 }, clock.now());
    const { dueTimes, runs, stop } = start(clock, { store });
    await clock.advance(3 * HOUR);
    await stop();
    // 2:30 does not exist on the 29th: the clocks go from 2 to 3. 4:30 is an hour earlier than the day before.
    expect(dueTimes()).toEqual(['2026-03-29T01:00', '2026-03-29T02:30']);
    expect(runs[0]).toMatchObject({ task: 'morning', limits: { turns: 3 }, attempt: 0 });
    expect(store.runs(10).map(({ state, outcome }) => [state, outcome])).toEqual([
      ['done', 'done'],
      ['done', 'done'],
    ]);
  });

  it('runs one moment once, and the schedule is over', async () => {
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    store.add('once', { at: START + HOUR }, {}, clock.now());
    const { dueTimes, stop } = start(clock, { store });
    await clock.advance(3 * HOUR);
    await stop();
    expect(dueTimes()).toEqual(['2026-03-28T13:00']);
    expect(store.list()).toEqual([]);
  });

  it.each<[MissedRuns, readonly string[]]>([
    ['skip', ['2026-03-28T17:00']],
    ['once', ['2026-03-28T16:00', '2026-03-28T17:00']],
    ['all', ['2026-03-28T13:00', '2026-03-28T14:00', '2026-03-28T15:00', '2026-03-28T16:00', '2026-03-28T17:00']],
  ])('times that passed while nothing ran: %s', async (missed, expected) => {
    verifies('toolbox.schedules.missed');
    const store = openStore(await storePath());
    store.add('hourly', HOURLY, {}, START);
    const clock = virtualClock(START + 4.5 * HOUR);
    const { dueTimes, stop } = start(clock, { store, missed });
    await clock.advance(HOUR);
    await stop();
    expect(dueTimes()).toEqual(expected);
  });

  it('makes up for at most a hundred times', async () => {
    const store = openStore(await storePath());
    store.add('often', { cron: '* * * * *', timeZone: 'UTC' }, {}, START);
    const clock = virtualClock(START + 1000 * HOUR);
    const { runs, stop } = start(clock, { store, missed: 'all' });
    await clock.advance(30_000);
    await stop();
    // The runs of the missed times, and none of the hundreds of thousands before.
    expect(runs).toHaveLength(100);
  });

  it('of two on one file one works, and the other takes over when it ends', async () => {
    verifies('toolbox.schedules.one');
    const clock = virtualClock(START);
    const file = await storePath();
    const first = openStore(file);
    const second = openStore(file);
    first.add('hourly', HOURLY, {}, START);
    const a = start(clock, { store: first });
    await clock.advance(10);
    const b = start(clock, { store: second });
    await clock.advance(1.5 * HOUR);
    expect([a.runs.length, b.runs.length]).toEqual([1, 0]);
    await a.stop();
    await clock.advance(HOUR);
    await b.stop();
    expect([a.runs.length, b.runs.length]).toEqual([1, 1]);
  });

  it('one that hangs loses its turn after 30 seconds', async () => {
    const clock = virtualClock(START);
    const file = await storePath();
    const dead = openStore(file);
    dead.add('hourly', HOURLY, {}, START);
    expect(dead.lease('dead', START, START + 30_000)).toBe(true);
    const { runs, stop } = start(clock, { store: openStore(file) });
    await clock.advance(20_000);
    expect(openStore(file).lease('third', clock.now(), clock.now() + 1)).toBe(false);
    await clock.advance(2 * HOUR);
    await stop();
    expect(runs).toHaveLength(2);
  });

  it('a run that a crash ended is unknown, or begun again if that was asked for', async () => {
    verifies('toolbox.schedules.crash');
    for (const repeatUnfinished of [false, true]) {
      const store = openStore(await storePath());
      const schedule = store.add('hourly', HOURLY, {}, START);
      store.lease('dead', START + HOUR, START + HOUR + 30_000);
      store.begin('dead', schedule, [START + HOUR], START + 2 * HOUR, START + HOUR);
      expect(store.start('dead', 1, START + HOUR)).toHaveLength(1);
      const clock = virtualClock(START + 1.1 * HOUR);
      const { runs, stop } = start(clock, { store, repeatUnfinished });
      await clock.advance(5_000);
      await stop();
      expect(runs.map(({ id, attempt }) => [id, attempt])).toEqual(
        repeatUnfinished ? [[`${schedule.id}@${START + HOUR}`, 1]] : [],
      );
      expect(store.runs(1)[0]?.state).toBe(repeatUnfinished ? 'done' : 'unknown');
    }
  });

  it('a failing run, a hanging one and one that ignores its abort do not hold up the others', async () => {
    verifies('toolbox.schedules.limits');
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    for (const task of ['fail', 'hang', 'good']) store.add(task, HOURLY, { timeMs: 60_000 }, START);
    const { stop } = start(clock, {
      store,
      parallel: 1,
      run: ({ task }) => {
        if (task === 'fail') return Promise.reject(new Error('broken'));
        return task === 'hang' ? new Promise(() => {}) : Promise.resolve('good');
      },
    });
    await clock.advance(HOUR + 130_000);
    await stop();
    const outcomes = Object.fromEntries(store.runs(10).map(({ task, state, outcome }) => [task, [state, outcome]]));
    expect(outcomes).toEqual({
      fail: ['failed', 'broken'],
      hang: ['failed', 'The run took longer than 60000 ms.'],
      good: ['done', 'good'],
    });
  });

  it('a stop aborts runs at work, and records them as unknown', async () => {
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    store.add('long', HOURLY, {}, START);
    let signal: AbortSignal | undefined;
    const { stop } = start(clock, {
      store,
      run: (_run, runSignal) => {
        signal = runSignal;
        return new Promise(() => {});
      },
    });
    await clock.advance(HOUR + 2_000);
    await stop();
    expect(signal?.aborted).toBe(true);
    expect(store.runs(1)[0]?.state).toBe('unknown');
  });

  it('a store that fails for a while is reported, and nothing ends', async () => {
    const clock = virtualClock(START);
    const store = openStore(await storePath());
    store.add('hourly', HOURLY, {}, START);
    const errors: unknown[] = [];
    let isBroken = true;
    const flaky = {
      ...store,
      lease: (...args: Parameters<typeof store.lease>) => {
        if (isBroken) throw new Error('disk full');
        return store.lease(...args);
      },
    };
    const { runs, stop } = start(clock, { store: flaky, onError: (error) => errors.push(error) });
    await clock.advance(20_000);
    isBroken = false;
    await clock.advance(HOUR);
    await stop();
    expect(errors.length).toBeGreaterThan(1);
    expect(runs).toHaveLength(1);
  });
});

describe('the file of schedules', () => {
  it('can be read by its owner only, and one that is damaged is refused', async () => {
    verifies('toolbox.schedules.file');
    const file = await storePath();
    openStore(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const damaged = await storePath();
    openScheduleStore(damaged).close();
    writeFileSync(damaged, 'not a database '.repeat(1000));
    expect(() => openScheduleStore(damaged)).toThrow('cannot be opened');
  });
});

describe('schedule', () => {
  const use = async (options: Partial<ScheduleToolOptions> = {}) => {
    const store = options.store ?? openStore(await storePath());
    const tool = scheduleTool({ timeZone: 'Europe/Berlin', clock: { now: () => START }, ...options, store });
    const call = (input: object): ToolResult => tool.handler(input as never, {} as ToolContext) as ToolResult;
    return { store, call };
  };

  it('makes, lists and deletes schedules, and shows the user what it made', async () => {
    verifies('toolbox.schedules.tool');
    const { call, store } = await use();
    const made = call({ action: 'create', task: 'Check the build.', cron: '0 8 * * *' });
    expect(made.forUser).toContain('0 8 * * * (Europe/Berlin), next 2026-03-29T06:00:00.000Z: "Check the build."');
    expect(call({ action: 'create', task: 'Once.', at: '2026-04-01T09:00:00+02:00' }).forLLM).toContain('once');
    expect(call({ action: 'list' }).forLLM.split('\n')).toHaveLength(2);
    const [first] = store.list();
    expect(call({ action: 'delete', id: first?.id }).forLLM).toContain('Deleted');
    expect(() => call({ action: 'delete', id: first?.id })).toThrow('There is no schedule');
    expect(call({ action: 'runs' }).forLLM).toBe('Nothing has run yet.');
  });

  it('lowers the limits of the program and cannot raise them', async () => {
    const { call, store } = await use({ limits: { turns: 10, tokens: 1000 } });
    call({ action: 'create', task: 'a', cron: '0 8 * * *', turns: 3 });
    call({ action: 'create', task: 'b', cron: '1 8 * * *', turns: 300 });
    expect(store.list().map(({ limits }) => limits)).toEqual([
      { turns: 3, tokens: 1000 },
      { turns: 10, tokens: 1000 },
    ]);
  });

  it.each([
    [{ task: 'a' }, 'either "cron" or "at"'],
    [{ task: 'a', cron: '0 8 * * *', at: '2027-01-01T00:00:00Z' }, 'either "cron" or "at"'],
    [{ cron: '0 8 * * *' }, '"task" is missing'],
    [{ task: ' ', cron: '0 8 * * *' }, '"task" is missing'],
    [{ task: 'a', cron: 'nonsense' }, 'cannot be read'],
    [{ task: 'a', cron: '* * * * * *' }, 'cannot be read'],
    [{ task: 'a', cron: `${'0,'.repeat(500)}0 * * * *` }, 'too long'],
    [{ task: 'a', cron: '0 0 31 2 *' }, 'never comes'],
    [{ task: 'a', cron: '0 8 * * *', time_zone: 'Mars/Phobos' }, 'no time zone "Mars/Phobos"'],
    [{ task: 'a', cron: '* * * * *' }, 'more often than every 5 minutes'],
    [{ task: 'a', cron: '0,1 8 * * *' }, 'more often than every 5 minutes'],
    [{ task: 'a', at: '2020-01-01T00:00:00Z' }, 'never comes'],
    [{ task: 'a', at: '2027-01-01T00:00:00' }, 'with its offset'],
    [{ task: 'a', at: 'tomorrow' }, 'with its offset'],
  ])('refuses %j and says why', async (input, reason) => {
    const { call, store } = await use();
    let message = '';
    try {
      call({ action: 'create', ...input });
    } catch (error) {
      message = `${(error as Error).message} ${(error as { hint?: string }).hint ?? ''}`;
    }
    expect(message).toContain(reason);
    expect(store.list()).toEqual([]);
  });

  it('holds a limited number of schedules', async () => {
    const { store } = await use();
    const time = { at: START + HOUR };
    for (let count = 0; count < 1000; count += 1) store.add('a', time, {}, START);
    expect(() => store.add('a', time, {}, START)).toThrow('1000 schedules');
  });
});

vi.setConfig({ testTimeout: 240_000 });
