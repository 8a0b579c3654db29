import { parseJson, isObject, sliceHead } from '@kernel/internal';
import {
  type JsonValue,
  KernelError,
  type PendingCall,
  type RecordedRun,
  type RunResultJson,
  type RunStatus,
  type WaitingCall,
} from '@kernel/protocol';
import type { Database, Row } from '../database/database.ts';
import type { DurableRunFilter, RunInput } from '../types.ts';

export const FINAL: ReadonlySet<RunStatus> = new Set(['done', 'failed', 'cancelled']);

const COLUMNS = 'id, agent, version, status, result, deaths, created_at, updated_at';

export function readRun(db: Database, id: string): RecordedRun | undefined {
  const row = db.get(`SELECT ${COLUMNS} FROM runs WHERE id = ?`, id);
  return row === undefined ? undefined : toRecord(row);
}

export function readStatus(db: Database, id: string): RunStatus | undefined {
  const row = db.get('SELECT status FROM runs WHERE id = ?', id);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this package alone
  return row === undefined ? undefined : (text(row, 'status') as RunStatus);
}

export function readInput(db: Database, id: string): RunInput | undefined {
  const row = db.get('SELECT input FROM runs WHERE id = ?', id);
  return row === undefined ? undefined : toInput(text(row, 'input'));
}

export function toInput(json: string): RunInput {
  const stored: unknown = parse(json);
  if (!isObject(stored) || !Array.isArray(stored['messages']))
    throw new KernelError('STORE_FAILED', 'The journal holds no valid input for the run.');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `startRun`; the run checks its history
  return stored as unknown as RunInput;
}

export function listRuns(db: Database, { status, agent, limit = 100 }: DurableRunFilter): readonly RecordedRun[] {
  const rows = db.all(
    `SELECT ${COLUMNS} FROM runs WHERE status = COALESCE(?, status) AND agent = COALESCE(?, agent)
     ORDER BY created_at DESC, id LIMIT ?`,
    status ?? null,
    agent ?? null,
    Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER),
  );
  return rows.map(toRecord);
}

/** SQL: whether a waiting call has been answered. Its signal is stored under `signalKey`. */
const IS_ANSWERED = `EXISTS (SELECT 1 FROM signals WHERE signals.run_id = waits.run_id
  AND signals.call_id = iif(waits.kind = 'unknown', 'unknown ', '') || waits.call_id)`;

export function hasAnsweredCall(db: Database, runId: string): boolean {
  return db.get(`SELECT 1 FROM waits WHERE run_id = ? AND ${IS_ANSWERED}`, runId) !== undefined;
}

export function listWaiting(db: Database, runId: string | undefined): readonly WaitingCall[] {
  const rows = db.all(
    `SELECT * FROM waits WHERE run_id = COALESCE(?, run_id) AND NOT ${IS_ANSWERED} ORDER BY since, run_id, call_id`,
    runId ?? null,
  );
  return rows.map((row) => ({
    runId: text(row, 'run_id'),
    callId: text(row, 'call_id'),
    kind: text(row, 'kind') === 'unknown' ? 'unknown' : 'approval',
    call: toCall(text(row, 'call'), text(row, 'call_id')),
    since: toDate(row['since']),
    ...(row['deadline_at'] === null ? {} : { deadlineAt: toDate(row['deadline_at']) }),
  }));
}

export function noSuchRun(id: string): KernelError {
  return new KernelError('CONFIG_INVALID', `There is no run ${JSON.stringify(sliceHead(id, 200))}.`, {
    hint: 'list() returns the ids of all runs.',
  });
}

export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}

export function parse(json: string): JsonValue {
  try {
    const value: unknown = JSON.parse(json);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
    return value as JsonValue;
  } catch (error) {
    throw new KernelError('STORE_FAILED', 'The journal holds text that is not JSON.', { cause: error });
  }
}

/** The end of a run. One that is damaged says so, so that the others can be listed and it can be deleted. */
function toResult(json: string): RunResultJson {
  const result: unknown = parseJson(json);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it was written
  if (isObject(result) && typeof result['reason'] === 'string') return result as unknown as RunResultJson;
  const damaged = { name: 'KernelError', code: 'STORE_FAILED', message: 'The journal does not say how the run ended.' };
  return { reason: 'error', error: damaged };
}

/** A call that waits. One that is damaged has no name, and its run can still be cancelled. */
function toCall(json: string, callId: string): PendingCall {
  const call: unknown = parse(json);
  const fields = isObject(call) ? call : {};
  const { name, arguments: args } = fields;
  const isWhole = typeof name === 'string' && typeof args === 'string';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it was written
  return (isWhole ? fields : { type: 'tool-call', id: callId, name: '', arguments: '' }) as unknown as PendingCall;
}

const MAX_DATE_MS = 8.64e15;

/** A date that can be shown, whatever the journal says. */
function toDate(value: unknown): Date {
  return new Date(Math.max(-MAX_DATE_MS, Math.min(MAX_DATE_MS, Number(value))));
}

function toRecord(row: Row): RecordedRun {
  const result = row['result'] === null ? undefined : toResult(text(row, 'result'));
  return {
    id: text(row, 'id'),
    agent: text(row, 'agent'),
    version: text(row, 'version'),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this package alone
    status: text(row, 'status') as RunStatus,
    ...(result === undefined ? {} : { result }),
    crashes: Number(row['deaths']),
    createdAt: toDate(row['created_at']),
    updatedAt: toDate(row['updated_at']),
  };
}
