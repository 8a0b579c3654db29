import { isObject } from '@kernel/internal';
import type { Row } from './database.ts';
import { isReadable } from './next-time.ts';
import type { StoredRun, RunState, Schedule, ScheduleLimits, ScheduleTime } from './types.ts';

const STATES: readonly string[] = ['waiting', 'running', 'done', 'failed', 'unknown'] satisfies readonly RunState[];

/** A schedule of a row; undefined if it cannot be read: the file is one that anybody can change, and time zones come and go. */
export function toSchedule(row: Row): Schedule | undefined {
  const time = timeOf(parse(row['time']));
  const limits = limitsOf(parse(row['limits']));
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
  const limits = limitsOf(parse(row['limits']));
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

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
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
