import { type DurableAgent, STEP_FORMAT } from '@kernel/protocol';
import type { Database } from '../database/database.ts';
import { text } from '../runs/read-run.ts';
import { answerCall } from '../runs/signals.ts';
import { type Lease, runsAlone } from './leases.ts';

export interface Claim extends Lease {
  readonly agent: string;
  readonly input: string;
  /** Whether it must be the only run in its process. */
  readonly isAlone: boolean;
}

/** Which runs a worker can take up: by the time, the format of steps, and the agents that it runs. One whose deadline has passed is only cancelled. */
const CLAIMABLE = `status = 'queued' AND (wake_at IS NULL OR wake_at <= ?) AND (deadline_at IS NULL OR deadline_at > ?) AND format = ?
  AND json_array(agent, version) IN (SELECT value FROM json_each(?))`;

const MAX_CLAIMED = 1000;

/** Takes up to `count` runs of some agents out of the queue. One that must be alone is taken only by a worker that has none, and then alone. */
export function claimRuns(
  db: Database,
  owner: string,
  agents: Readonly<Record<string, DurableAgent>>,
  capacity: { readonly count: number; readonly isIdle: boolean },
): readonly Claim[] {
  const now = Date.now();
  const claims: Claim[] = [];
  const rows = db.all(
    `SELECT id, agent, input, epoch, deaths FROM runs
     WHERE ${CLAIMABLE}
     ORDER BY created_at, id LIMIT ?`,
    now,
    now,
    STEP_FORMAT,
    supportedVersions(agents),
    Math.min(capacity.count, MAX_CLAIMED) + 16, // those that must be alone are passed over
  );
  for (const row of rows) {
    if (claims.length >= capacity.count) break;
    const isAlone = runsAlone(Number(row['deaths']));
    if (isAlone && (!capacity.isIdle || claims.length > 0)) continue;
    const runId = text(row, 'id');
    const epoch = Number(row['epoch']) + 1;
    const sql = "UPDATE runs SET status = 'running', owner = ?, epoch = ?, is_alone = ?, updated_at = ? WHERE id = ?";
    db.run(sql, owner, epoch, isAlone ? 1 : 0, now, runId);
    claims.push({ runId, owner, epoch, agent: text(row, 'agent'), input: text(row, 'input'), isAlone });
    if (isAlone) break;
  }
  return claims;
}

export function hasQueued(db: Database, agents: Readonly<Record<string, DurableAgent>>): boolean {
  const sql = `SELECT 1 FROM runs WHERE ${CLAIMABLE} LIMIT 1`;
  const now = Date.now();
  return db.get(sql, now, now, STEP_FORMAT, supportedVersions(agents)) !== undefined;
}

/** The agents and versions that a worker supports, as a JSON array of pairs that are JSON themselves. */
function supportedVersions(agents: Readonly<Record<string, DurableAgent>>): string {
  const pairs = Object.entries(agents).flatMap(([agent, { version = '1', accepts = [] }]) =>
    [version, ...accepts].map((each) => JSON.stringify([agent, each])),
  );
  return JSON.stringify(pairs);
}

export function denyOverdueCalls(db: Database): void {
  for (const row of db.all('SELECT run_id, call_id FROM waits WHERE deadline_at <= ?', Date.now())) {
    const [runId, callId] = [text(row, 'run_id'), text(row, 'call_id')];
    answerCall(db, runId, callId, 'approval', { decision: 'deny', reason: 'no decision came in time.' });
    db.run('UPDATE waits SET deadline_at = NULL WHERE run_id = ? AND call_id = ?', runId, callId);
  }
}

export function overdueRuns(db: Database): readonly string[] {
  const sql =
    "SELECT id FROM runs WHERE deadline_at <= ? AND status IN ('queued', 'running', 'waiting', 'blocked') AND is_cancelled = 0";
  return db.all(sql, Date.now()).map((row) => text(row, 'id'));
}
