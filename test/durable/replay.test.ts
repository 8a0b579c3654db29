import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STEP_FORMAT } from '@kernel/protocol';
import { openDurable } from '@kernel/durable';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { replayedAgents } from './fixtures/replayed-agents.ts';

/** The answers of the runs in the journal of the last release. */
const ANSWERS = { plain: 'ok', approval: 'ok', chosen: 'ok', agents: 'ok', team: 'ok' };

test('a journal of the last release replays without a live step, or STEP_FORMAT has changed and its runs are left alone', async () => {
  verifies('durable.replay');
  const folder = mkdtempSync(join(tmpdir(), 'replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'runs.db');
  copyFileSync(join(import.meta.dirname, 'fixtures/journal.db'), path);
  const raw = new DatabaseSync(path);
  const formats = raw.prepare('SELECT DISTINCT format FROM runs').all();
  const steps = raw.prepare('SELECT count(*) AS n FROM steps').get();
  raw.close();
  expect(steps).toEqual({ n: 54 });
  const live: string[] = [];
  const db = openDurable(path);
  const worker = db.work({ agents: replayedAgents((what) => live.push(what)) });
  const ids = Object.keys(ANSWERS);
  for (const id of ids) await db.retry(id);
  const isSame = formats.some(({ format }) => format === STEP_FORMAT);
  const runs = isSame ? await Promise.all(ids.map((id) => db.result(id))) : await db.list({ status: 'queued' });
  const found = Object.fromEntries(runs.map(({ id, status, result }) => [id, result?.answer ?? status]));
  expect(found).toEqual(isSame ? ANSWERS : Object.fromEntries(ids.map((id) => [id, 'queued'])));
  await worker.drain();
  db.close();
  expect(live).toEqual([]);
});
