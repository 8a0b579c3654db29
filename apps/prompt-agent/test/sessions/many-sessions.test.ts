import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@kernel/internal';
import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { lastOfFolder } from '../../src/sessions/find-session.ts';
import { listSessions } from '../../src/sessions/list-sessions.ts';
import { beginSession } from '../../src/sessions/open-session.ts';
import { searchSessions } from '../../src/sessions/search-sessions.ts';
import { openStore, type SessionStore } from '../../src/sessions/session-store.ts';

const USE = { provider: 'openai', model: 'm', flags: {}, redactor: createRedactor(), prices: undefined };

async function storeOf(count: number): Promise<SessionStore> {
  const folder = mkdtempSync(join(tmpdir(), 'prompt-agent-many-'));
  const store = openStore(folder);
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (let index = 0; index < count; index += 1) await addSession(store, index);
  return store;
}

async function addSession(store: SessionStore, index: number): Promise<void> {
  const session = beginSession(store, `/folder/${index % 10}`, undefined, USE);
  const asked: Message = { role: 'user', content: `question ${index} about files and folders` };
  const text = `answer ${index} with words of its own: word${index}`;
  const answered: Message = { role: 'assistant', content: [{ type: 'text', text }] };
  await session.append([{ type: 'message', message: asked }]);
  await session.append([{ type: 'message', message: answered }]);
  await session.close();
}

/** The least time that some work takes, in milliseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 15; round += 1) {
    const begunAt = performance.now();
    await work();
    least = Math.min(least, performance.now() - begunAt);
  }
  return least;
}

test('a thousand sessions are as quick to add to, to continue, to list and to search as fifty', async () => {
  verifies('cli.sessions.many');
  const [few, many] = [await storeOf(50), await storeOf(1000)];
  let next = 5000;
  const works: readonly ((store: SessionStore) => unknown)[] = [
    (store) => addSession(store, (next += 1)),
    (store) => store.use((database) => lastOfFolder(database, '/folder/3')),
    (store) => store.use((database) => listSessions(database, 50)),
    (store) => store.use((database) => searchSessions(database, 'word17', 50)),
  ];
  for (const work of works) {
    const [small, large] = [await timeOf(() => work(few)), await timeOf(() => work(many))];
    // In proportion it would be twenty times as long.
    expect(large / small).toBeLessThan(6);
  }
  expect(many.use((database) => searchSessions(database, 'files', 50))).toHaveLength(50);
});
