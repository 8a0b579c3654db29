import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@kernel/internal';
import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/sessions/database/load-sqlite.ts';
import { lastOfFolder } from '../../src/sessions/find-session.ts';
import { listSessions } from '../../src/sessions/find-session.ts';
import { beginSession } from '../../src/sessions/open-session.ts';
import { searchSessions } from '../../src/sessions/find-session.ts';
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

/** The same store, which tells each statement. */
function watched(store: SessionStore, tell: (sql: string) => void): SessionStore {
  return {
    ...store,
    use: (work) =>
      store.use((database) =>
        work({
          exec: (sql) => database.exec(sql),
          prepare(sql) {
            tell(sql);
            return database.prepare(sql);
          },
        } as Database),
      ),
  };
}

test('each statement that adds to, continues, lists or searches sessions finds its rows by an index', async () => {
  verifies('cli.sessions.many');
  const many = await storeOf(1000);
  const statements = new Set<string>();
  const store = watched(many, (sql) => statements.add(sql));
  await addSession(store, 5000);
  store.use((database) => lastOfFolder(database, '/folder/3'));
  expect(store.use((database) => listSessions(database, 50))).toHaveLength(50);
  expect(store.use((database) => searchSessions(database, 'files', 50))).toHaveLength(50);
  expect(statements.size).toBeGreaterThan(5);
  const plans = [...statements].map((sql) =>
    many.use((database) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row['detail'])),
    ),
  );
  expect(plans.flat().filter((step) => /^SCAN (?:sessions|entries)\b(?!.* INDEX )/.test(step))).toEqual([]);
});
