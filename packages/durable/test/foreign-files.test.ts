import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { openDurable } from '../src/index.ts';
import { agentOf, step } from './steps.ts';
import { journal, journalPath, messages, worker } from './support.ts';

const ok = agentOf(async (steps) => (await steps.all([step('model:1', () => ({ ok: true }))]))[0] ?? null);

test('a database of another program with the version of a journal stays as it is', () => {
  verifies('durable.files');
  for (const version of [1, -1]) {
    const path = journalPath();
    const foreign = new DatabaseSync(path);
    foreign.exec(`CREATE TABLE mine (a); PRAGMA user_version = ${version}`);
    expect(() => openDurable(path)).toThrow('another program');
    expect(foreign.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'mine' }]);
    foreign.close();
  }
});

test('a short file that is no database stays as it is, and an empty one becomes a journal', () => {
  verifies('durable.files');
  const path = journalPath();
  writeFileSync(path, 'x');
  const hint = expect.stringContaining('move it away and put a copy in its place');
  expect(() => openDurable(path)).toThrow(expect.objectContaining({ code: 'STORE_FAILED', hint }));
  expect(readFileSync(path, 'utf8')).toBe('x');
  writeFileSync(path, '');
  openDurable(path).close();
});

test('a journal in memory leaves no file', async () => {
  verifies('durable.files');
  const db = journal(':memory:');
  worker(db, { agents: { a: { run: ok } } });
  await db.start('x', { agent: 'a', messages });
  expect((await db.result('x')).status).toBe('done');
  expect(existsSync(':memory:')).toBe(false);
});
