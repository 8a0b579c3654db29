import type { JsonValue, PendingCall, RecordedRun, RunStatus, WaitingCall } from '@kernel/protocol';
import { FINAL, type RunState, type Wait } from '../run-state.ts';
import { BLOCKED } from '../workflow/halt.ts';
import type { RestateApi } from './restate-api.ts';

export interface KnownRun {
  readonly record: RecordedRun;
  readonly invocationId: string;
  /** The digest of the input it was started with; absent before it begins. */
  readonly inputDigest?: string;
  /** Whether its invocation has not completed. */
  readonly isOpen: boolean;
}

/** Restate's error code for a replay that does not match the journal. */
const JOURNAL_MISMATCH = 'RT0016';

/** Reads all runs of an agent, or one. A run that was killed from outside counts as failed. */
export async function readRuns(api: RestateApi, agent: string, id?: string): Promise<readonly KnownRun[]> {
  const one = (column: string): string => (id === undefined ? '' : ` AND ${column} = ${quote(id)}`);
  const [invocations, states] = await Promise.all([
    api.query(
      `SELECT id, target_service_key, status, created_at, modified_at, last_failure, last_failure_error_code FROM sys_invocation
       WHERE target_service_name = ${quote(agent)} AND target_handler_name = 'run'${one('target_service_key')}`,
    ),
    api.query(
      `SELECT service_key, value_utf8 FROM state WHERE service_name = ${quote(agent)} AND key = 'run'${one('service_key')}`,
    ),
  ]);
  const known = new Map(states.map((row) => [text(row['service_key']), parse<RunState>(row['value_utf8'])]));
  return invocations.map((row) => {
    const key = text(row['target_service_key']);
    const state = known.get(key);
    const status = statusOf(row, state);
    const times = state ?? { createdAt: text(row['created_at']), updatedAt: text(row['modified_at']) };
    const record: RecordedRun = {
      id: key,
      agent,
      version: state?.version ?? '',
      status,
      createdAt: toDate(times.createdAt),
      updatedAt: toDate(times.updatedAt),
    };
    const isOpen = text(row['status']) !== 'completed';
    return { record, invocationId: text(row['id']), isOpen, ...(state && { inputDigest: state.inputDigest }) };
  });
}

export async function readWaiting(api: RestateApi, agent: string, id?: string): Promise<readonly WaitingCall[]> {
  const filter = `service_name = ${quote(agent)}${id === undefined ? '' : ` AND service_key = ${quote(id)}`}`;
  const [states, answers] = await Promise.all([
    api.query(`SELECT service_key, value_utf8 FROM state WHERE ${filter} AND key = 'waits'`),
    api.query(
      `SELECT service_key, key FROM sys_promise WHERE ${filter} AND completed AND (key LIKE 'approval %' OR key LIKE 'unknown %')`,
    ),
  ]);
  const answered = new Set(answers.map((row) => `${text(row['service_key'])} ${text(row['key'])}`));
  const calls = states.flatMap((row): readonly WaitingCall[] => {
    const runId = text(row['service_key']);
    const waits = parse<readonly Wait[]>(row['value_utf8']) ?? [];
    return waits
      .filter(({ answer }) => !answered.has(`${runId} ${answer}`))
      .map(({ callId, kind, call, since, deadlineAt }) => ({
        runId,
        callId,
        kind,
        call: asCall(call),
        since: new Date(since),
        ...(deadlineAt === undefined ? {} : { deadlineAt: new Date(deadlineAt) }),
      }));
  });
  return calls.toSorted((a, b) => a.since.getTime() - b.since.getTime());
}

function statusOf(row: Readonly<Record<string, unknown>>, state: RunState | undefined): RunStatus {
  if (state !== undefined && FINAL.has(state.status)) return state.status;
  switch (text(row['status'])) {
    case 'completed':
      return 'failed'; // it was killed from outside
    case 'paused':
      return 'blocked';
    case 'backing-off': {
      const isBlocked =
        text(row['last_failure']).includes(BLOCKED) || text(row['last_failure_error_code']) === JOURNAL_MISMATCH;
      return isBlocked ? 'blocked' : (state?.status ?? 'queued');
    }
    default:
      return state?.status ?? 'queued';
  }
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toDate(value: number | string): Date {
  return new Date(typeof value === 'string' && !/Z|[+-]\d\d:?\d\d$/.test(value) ? `${value}Z` : value);
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type that was written
function parse<T>(value: unknown): T | undefined {
  if (typeof value !== 'string') return undefined;
  const json: unknown = JSON.parse(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this package alone
  return json as T;
}

function asCall(call: JsonValue): PendingCall {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the run wrote it
  return call as unknown as PendingCall;
}
