import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDurable } from '@kernel/durable';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { promptHere, workspace } from '../program.ts';

const HOSTILE = '\u001B]0;title\u0007\u202E<script>alert(1)</script>\nforged line';

/** A journal that somebody has written into. */
async function damaged(): Promise<string> {
  const cwd = workspace({ 'a.txt': 'x' });
  const path = join(cwd, 'runs.db');
  const db = openDurable(path);
  for (const id of ['hostile', 'damaged', 'sound'])
    await db.start(id, { agent: `a ${HOSTILE}`, messages: [{ role: 'user', content: HOSTILE }] });
  db.close();
  const raw = new DatabaseSync(path);
  raw.exec(
    `UPDATE runs SET result = '{', created_at = 9000000000000000, input = '{"messages":[null]}' WHERE id = 'damaged'`,
  );
  const wait = raw.prepare('INSERT INTO waits (run_id, call_id, kind, call, since) VALUES (?, ?, ?, ?, ?)');
  wait.run('damaged', HOSTILE, 'approval', 'null', 9_000_000_000_000_000n);
  const event = raw.prepare('INSERT INTO events (run_id, seq, key, step, at, event) VALUES (?, ?, ?, ?, ?, ?)');
  const call = { id: HOSTILE, name: HOSTILE, arguments: HOSTILE };
  const events = [
    { type: 'tool-start', call },
    { type: 'tool-end', call, result: { forLLM: HOSTILE }, durationMs: 'long' },
    { type: 'tool-end', call: null },
    { type: HOSTILE },
    { type: 'steer', messages: null },
    { type: 'run-end', reason: HOSTILE, error: { message: HOSTILE } },
  ];
  for (const [index, each] of events.entries())
    event.run('hostile', index + 1, '', `tool:${HOSTILE}/model:1`, 9_000_000_000_000_000n, JSON.stringify(each));
  const result = { reason: HOSTILE, answer: 7, error: { message: HOSTILE }, limit: {} };
  raw.prepare("UPDATE runs SET result = ? WHERE id = 'hostile'").run(JSON.stringify(result));
  raw.close();
  return cwd;
}

test('a journal that is damaged in one run can be used, and what is in it stays text of its own line', async () => {
  verifies('cli.runs.damaged');
  const cwd = await damaged();
  const runs = (...args: readonly string[]) => promptHere(['runs', ...args, '--journal', 'runs.db'], { cwd });
  const listed = await runs('list');
  expect([listed.code, listed.stdout.trim().split('\n').length]).toEqual([0, 4]);
  const shown = await runs('show', 'damaged');
  expect(shown.stdout).toContain('The journal does not say how the run ended.');
  const events = await runs('events', 'hostile');
  expect([events.code, events.stdout.trim().split('\n').length]).toEqual([0, 6]);
  const hostile = await runs('show', 'hostile');
  const all = [listed, shown, events, hostile];
  for (const each of all) {
    expect(each.stdout).not.toMatch(/^forged line/m);
    for (const character of ['\u001B', '\u0007', '\u202E'])
      expect(`${each.stdout}${each.stderr}`).not.toContain(character);
  }
  for (const id of ['damaged', 'hostile']) {
    const page = await runs('show', id, '--html');
    expect(page.code).toBe(0);
    expect(page.stdout).not.toContain('<script>alert');
  }
  const denied = await runs('deny', 'damaged', '--reason', 'no');
  expect([denied.code, denied.stderr]).toEqual([0, expect.stringContaining('denied')]);
  expect((await runs('cancel', 'damaged')).code).toBe(0);
});

test('an empty file, as a program leaves that was killed while it created the journal, becomes one', async () => {
  verifies('cli.runs.damaged');
  const cwd = workspace({ 'empty.db': '' });
  const ran = await promptHere(['--provider', 'offline', '--durable', '--journal', 'empty.db', 'What is 2+2?'], {
    cwd,
    env: { XDG_STATE_HOME: join(cwd, 'state') },
  });
  expect([ran.code, ran.stdout]).toEqual([0, '4\n']);
  expect((await promptHere(['runs', 'list', '--journal', 'empty.db'], { cwd })).code).toBe(0);
});
