import { parseJson, hasEnded, sliceHead } from '@kernel/internal';
import { randomUUID } from 'node:crypto';
import { KernelError } from '@kernel/protocol';
import { openDatabase, toRecord, toSchedule } from './database.ts';
import { nextTime } from './next-time.ts';
import type { StoredRun, RunState, Schedule, ScheduledRun, ScheduleLimits, ScheduleTime } from './types.ts';

/** Schedules and their runs, in one file that several processes can share. A row that cannot be read is skipped. */
export interface ScheduleStore {
  /** Adds a schedule. Throws `TOOL_FAILED` for a time that never comes, and if there are too many schedules. */
  add(task: string, time: ScheduleTime, limits: ScheduleLimits, nowMs: number): Schedule;
  /** The schedules that have not ended, sorted by due time. */
  list(): readonly Schedule[];
  /** When the first schedule is due, in milliseconds since 1970; undefined if none ever is. */
  nextMs(): number | undefined;
  /** Removes a schedule with its waiting runs, and returns whether it existed. A running task continues. */
  remove(id: string): boolean;
  /** The last runs, newest first. */
  runs(limit: number): readonly StoredRun[];
  /** The schedules that are due. One that cannot be read ends with a failed run that says so. */
  due(nowMs: number): readonly Schedule[];
  /**
   * Records waiting runs together with the next due time of their schedule. Does nothing if another process executes runs now, or if the schedule was
   * removed or changed meanwhile. A due time that has a run gets no second one.
   */
  begin(owner: string, schedule: Schedule, dueMs: readonly number[], nextMs: number | undefined, nowMs: number): void;
  /** Takes waiting runs, earliest due time first, and records that they are running. Returns none if another process executes runs now. */
  start(owner: string, most: number, nowMs: number): readonly ScheduledRun[];
  /** Records how a run ended. Does nothing if it has already ended, or if it was started again meanwhile. */
  end(
    run: Pick<ScheduledRun, 'id' | 'attempt'>,
    state: Exclude<RunState, 'waiting' | 'running'>,
    outcome: string,
    nowMs: number,
  ): void;
  /** Takes over runs that another process left running: they wait again, with one more attempt, or become `unknown`. */
  takeOver(owner: string, isRepeated: boolean, nowMs: number): void;
  /** After the clock was set back, moves the next due time of schedules to the first one from now on. */
  realign(nowMs: number): void;
  /**
   * Acquires or renews the lease for executing runs, until a time within a minute. Returns whether it holds the lease. An owner that is the JSON of a
   * process's identity loses it as soon as that process has ended.
   */
  lease(owner: string, nowMs: number, untilMs: number): boolean;
  /** Releases the lease. */
  release(owner: string): void;
  /** Closes the file. */
  close(): void;
}

const MAX_SCHEDULES = 1000;
/** Twice the length of the leases that schedulers ask for. */
const MAX_LEASE_MS = 60_000;
const MAX_OUTCOME = 10_000;
const KEPT_RUNS = 1000;
const ENDED = "state IN ('done', 'failed', 'unknown')";
const END = "UPDATE run SET state = ?, outcome = ?, ended_ms = ? WHERE id = ? AND attempt = ? AND state = 'running'";
const FAIL = "UPDATE run SET state = 'failed', outcome = ?, ended_ms = ? WHERE id = ? AND state = 'waiting'";
const UNKNOWN = 'The program ended before the run did; what it had done is not known.';
const UNREADABLE = 'The schedule cannot be read, so it is over.';

/**
 * Opens or creates the file of schedules, readable by its owner only. Throws `STORE_FAILED` if that fails.
 *
 * @example
 * ```ts
 * import { openScheduleStore, scheduleTool } from '@kernel/toolbox/schedules';
 * import { createRegistry } from '@kernel/tools';
 *
 * const store = openScheduleStore('schedules.db');
 * const tools = createRegistry([scheduleTool({ store, limits: { turns: 5, tokens: 50_000 } })]);
 * ```
 */
export function openScheduleStore(file: string): ScheduleStore {
  const { row, rows, change, together, close } = openDatabase(file);
  const isOwner = (owner: string): boolean => row('SELECT owner FROM runner')?.['owner'] === owner;

  const prune = (): void => {
    change(
      `DELETE FROM run WHERE ${ENDED} AND id NOT IN (SELECT id FROM run WHERE ${ENDED} ORDER BY started_ms DESC LIMIT ?)`,
      KEPT_RUNS,
    );
    change(
      'DELETE FROM schedule WHERE next_ms IS NULL AND NOT EXISTS (SELECT 1 FROM run WHERE schedule_id = schedule.id)',
    );
  };
  const insertRun = (schedule: Pick<Schedule, 'id' | 'task' | 'limits'>, dueMs: number, nowMs: number): string => {
    // The same time of the same schedule is the same run, whoever begins it.
    const id = `${schedule.id}@${dueMs}`;
    change(
      "INSERT OR IGNORE INTO run VALUES (?, ?, ?, ?, ?, 0, 'waiting', ?, NULL, NULL)",
      id,
      schedule.id,
      schedule.task,
      JSON.stringify(schedule.limits),
      dueMs,
      nowMs,
    );
    return id;
  };
  return {
    add: (task, time, limits, nowMs) =>
      together(() => {
        const nextMs = nextTime(time, nowMs);
        if (nextMs === undefined) throw new KernelError('TOOL_FAILED', 'That time never comes.');
        const count = Number(row('SELECT count(*) AS n FROM schedule WHERE next_ms IS NOT NULL')?.['n']);
        if (count >= MAX_SCHEDULES)
          throw new KernelError('TOOL_FAILED', `There are ${count} schedules, which is the limit.`, {
            hint: 'Delete one.',
          });
        const id = `schedule-${randomUUID().slice(0, 8)}`;
        const values = [id, task, JSON.stringify(time), JSON.stringify(limits), nextMs, nowMs] as const;
        change('INSERT INTO schedule VALUES (?, ?, ?, ?, ?, ?)', ...values);
        return { id, task, time, limits, nextMs, createdMs: nowMs };
      }),
    list: () =>
      rows('SELECT * FROM schedule WHERE next_ms IS NOT NULL ORDER BY next_ms, id').flatMap(
        (each) => toSchedule(each) ?? [],
      ),
    nextMs() {
      const next = row('SELECT min(next_ms) AS next_ms FROM schedule')?.['next_ms'];
      return typeof next === 'number' ? next : undefined;
    },
    remove: (id) =>
      together(() => {
        change("DELETE FROM run WHERE schedule_id = ? AND state = 'waiting'", id);
        return change('DELETE FROM schedule WHERE id = ?', id) > 0;
      }),
    runs: (limit) =>
      rows('SELECT * FROM run ORDER BY started_ms DESC, id LIMIT ?', limit).flatMap((each) => toRecord(each) ?? []),
    due: (nowMs) =>
      rows('SELECT * FROM schedule WHERE next_ms <= ? ORDER BY next_ms, id', nowMs).flatMap((each) => {
        const schedule = toSchedule(each);
        if (schedule !== undefined) return [schedule];
        together(() => {
          const id = String(each['id']);
          change('UPDATE schedule SET next_ms = NULL WHERE id = ?', id);
          const run = insertRun({ id, task: String(each['task']), limits: {} }, Number(each['next_ms']), nowMs);
          change(FAIL, UNREADABLE, nowMs, run);
        });
        return [];
      }),
    begin: (owner, schedule, dueMs, nextMs, nowMs) =>
      together(() => {
        if (!isOwner(owner)) return;
        const { id, nextMs: before = null } = schedule;
        if (change('UPDATE schedule SET next_ms = ? WHERE id = ? AND next_ms IS ?', nextMs ?? null, id, before) === 0)
          return;
        for (const due of dueMs) insertRun(schedule, due, nowMs);
      }),
    start: (owner, most, nowMs) =>
      together(() => {
        if (!isOwner(owner)) return [];
        const waiting = rows("SELECT * FROM run WHERE state = 'waiting' ORDER BY due_ms, id LIMIT ?", most);
        return waiting.flatMap((each) => {
          const run = toRecord(each);
          const state = run === undefined ? 'failed' : 'running';
          change('UPDATE run SET state = ?, started_ms = ? WHERE id = ?', state, nowMs, String(each['id']));
          return run ?? [];
        });
      }),
    end: ({ id, attempt }, state, outcome, nowMs) =>
      together(() => {
        change(END, state, sliceHead(outcome, MAX_OUTCOME), nowMs, id, attempt);
        prune();
      }),
    takeOver: (owner, isRepeated, nowMs) =>
      together(() => {
        if (!isOwner(owner)) return;
        if (isRepeated) change("UPDATE run SET state = 'waiting', attempt = attempt + 1 WHERE state = 'running'");
        else
          change("UPDATE run SET state = 'unknown', outcome = ?, ended_ms = ? WHERE state = 'running'", UNKNOWN, nowMs);
      }),
    realign: (nowMs) =>
      together(() => {
        for (const each of rows('SELECT * FROM schedule WHERE next_ms > ?', nowMs)) {
          const schedule = toSchedule(each);
          if (schedule?.nextMs === undefined || 'at' in schedule.time) continue;
          const next = nextTime(schedule.time, nowMs);
          if (next !== undefined && next < schedule.nextMs)
            change('UPDATE schedule SET next_ms = ? WHERE id = ?', next, schedule.id);
        }
      }),
    lease: (owner, nowMs, untilMs) =>
      together(() => {
        const current = row('SELECT owner, until_ms FROM runner');
        const leasedMs = Number(current?.['until_ms'] ?? 0);
        // One that ends later than any could that began now is of a clock that was set back since.
        const isHeld = leasedMs > nowMs && leasedMs <= nowMs + MAX_LEASE_MS;
        if (
          current !== undefined &&
          current['owner'] !== owner &&
          isHeld &&
          !hasEnded(parseJson(String(current['owner'])))
        )
          return false;
        change('INSERT OR REPLACE INTO runner VALUES (1, ?, ?)', owner, untilMs);
        return true;
      }),
    release: (owner) => void change('DELETE FROM runner WHERE owner = ?', owner),
    close,
  };
}
