import { attempt, parseJson, isObject } from '@kernel/internal';
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { KernelError } from '@kernel/protocol';
import { isReadable } from './next-time.ts';
import type { StoredRun, RunState, Schedule, ScheduleLimits, ScheduleTime } from './types.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

type Value = string | number | null;

const TABLES = `
CREATE TABLE IF NOT EXISTS schedule (
  id TEXT PRIMARY KEY, task TEXT NOT NULL, time TEXT NOT NULL, limits TEXT NOT NULL, next_ms INTEGER, created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS schedule_next ON schedule (next_ms);
CREATE TABLE IF NOT EXISTS run (
  id TEXT PRIMARY KEY, schedule_id TEXT NOT NULL, task TEXT NOT NULL, limits TEXT NOT NULL, due_ms INTEGER NOT NULL, attempt INTEGER NOT NULL,
  state TEXT NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER, outcome TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS run_started ON run (started_ms);
CREATE INDEX IF NOT EXISTS run_schedule ON run (schedule_id);
CREATE INDEX IF NOT EXISTS run_state ON run (state, due_ms);
CREATE TABLE IF NOT EXISTS runner (id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, until_ms INTEGER NOT NULL) STRICT;
`;

export function openDatabase(file: string) {
  const database = open(file);
  return {
    row: (sql: string, ...values: readonly Value[]): Row | undefined => database.prepare(sql).get(...values),
    rows: (sql: string, ...values: readonly Value[]): readonly Row[] => database.prepare(sql).all(...values),
    change: (sql: string, ...values: readonly Value[]): number => Number(database.prepare(sql).run(...values).changes),
    /** Makes changes together or not at all, and alone among processes. */
    together: <T>(work: () => T): T => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        attempt(() => database.exec('ROLLBACK')); // a failure such as a full disk has ended the transaction already
        throw error;
      }
    },
    close: () => database.close(),
  };
}

function open(file: string): DatabaseSync {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    const database = new DatabaseSync(file, { timeout: 10_000 });
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLES}`);
    return database;
  } catch (error) {
    throw new KernelError('STORE_FAILED', `The schedules in ${JSON.stringify(file)} cannot be opened.`, {
      hint: 'Use another file, or remove one that is damaged.',
      cause: error,
    });
  }
}

const STATES: readonly string[] = ['waiting', 'running', 'done', 'failed', 'unknown'] satisfies readonly RunState[];

/** A schedule of a row; undefined if it cannot be read: the file is one that anybody can change, and time zones come and go. */
export function toSchedule(row: Row): Schedule | undefined {
  const time = timeOf(parseJson(String(row['time'])));
  const limits = limitsOf(parseJson(String(row['limits'])));
  if (time === undefined || limits === undefined) return undefined;
  return {
    id: String(row['id']),
    task: String(row['task']),
    time,
    limits,
    nextMs: row['next_ms'] === null ? undefined : Number(row['next_ms']),
    createdMs: Number(row['created_ms']),
  };
}

export function toRecord(row: Row): StoredRun | undefined {
  const limits = limitsOf(parseJson(String(row['limits'])));
  const state = row['state'];
  if (limits === undefined || !isState(state)) return undefined;
  return {
    id: String(row['id']),
    scheduleId: String(row['schedule_id']),
    task: String(row['task']),
    limits,
    dueMs: Number(row['due_ms']),
    attempt: Number(row['attempt']),
    state,
    startedMs: Number(row['started_ms']),
    endedMs: row['ended_ms'] === null ? undefined : Number(row['ended_ms']),
    outcome: row['outcome'] === null ? undefined : String(row['outcome']),
  };
}

function timeOf(value: unknown): ScheduleTime | undefined {
  if (!isObject(value)) return undefined;
  const { at, cron, timeZone } = value;
  if (typeof at === 'number') return { at };
  if (typeof cron !== 'string' || typeof timeZone !== 'string') return undefined;
  const time = { cron, timeZone };
  return isReadable(time) ? time : undefined;
}

function limitsOf(value: unknown): ScheduleLimits | undefined {
  if (!isObject(value)) return undefined;
  const { turns, tokens, timeMs } = value;
  if (![turns, tokens, timeMs].every(isLimit)) return undefined;
  return {
    ...(typeof turns === 'number' && { turns }),
    ...(typeof tokens === 'number' && { tokens }),
    ...(typeof timeMs === 'number' && { timeMs }),
  };
}

function isLimit(limit: unknown): boolean {
  return limit === undefined || (typeof limit === 'number' && limit >= 0);
}

function isState(value: unknown): value is RunState {
  return typeof value === 'string' && STATES.includes(value);
}
