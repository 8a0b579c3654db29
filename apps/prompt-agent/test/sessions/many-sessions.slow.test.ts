import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@kernel/internal';
import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { lastOfFolder } from '../../src/sessions/find-session.ts';
import { listSessions } from '../../src/sessions/find-session.ts';
import { beginSession } from '../../src/sessions/open-session.ts';
import { searchSessions } from '../../src/sessions/find-session.ts';
import { openStore, type SessionStore } from '../../src/sessions/session-store.ts';
import { cpuRatio } from '../../../../test/setup/cpu-time.ts';

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
    const tenTimes = (store: SessionStore) => async (): Promise<void> => {
      for (let count = 0; count < 10; count += 1) await work(store);
    };
    // In proportion it would be twenty times as much.
    expect(await cpuRatio(tenTimes(many), tenTimes(few), 6)).toBeLessThan(6);
  }
  expect(many.use((database) => searchSessions(database, 'files', 50))).toHaveLength(50);
});
