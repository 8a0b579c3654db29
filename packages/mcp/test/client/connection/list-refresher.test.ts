import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ListedTools } from '../../../src/client/connection/list-tools.ts';
import type { Connection } from '../../../src/client/connection/open-connection.ts';
import { createListRefresher } from '../../../src/client/connection/remote-server.ts';

type List = PromiseWithResolvers<ListedTools>;

/** A connection whose lists come when the test resolves them. */
function connection(): { readonly connection: Connection; readonly lists: readonly List[] } {
  const lists: List[] = [];
  const listTools = (): Promise<ListedTools> => {
    const list: List = Promise.withResolvers();
    lists.push(list);
    return list.promise;
  };
  return { connection: { listTools } as unknown as Connection, lists };
}

const { signal } = new AbortController();
const listed: ListedTools = { entries: [{ name: 'a', inputSchema: { type: 'object' } }] };
const empty: ListedTools = { entries: [] };

test('changes during a list cause one more list, however many they are', async () => {
  const { connection: only, lists } = connection();
  const updates: unknown[] = [];
  const refresher = createListRefresher(
    () => only,
    signal,
    (list) => updates.push(list),
  );
  for (let change = 0; change < 5; change += 1) refresher.refresh();
  lists[0]?.resolve(empty);
  await expect.poll(() => lists).toHaveLength(2);
  lists[1]?.resolve(listed);
  await refresher.settled();
  expect(lists).toHaveLength(2);
  expect(updates).toEqual([empty, listed]);
});

test('a change of a new connection is listed even while a list of the lost one is under way', async () => {
  const before = connection();
  const after = connection();
  let current = before.connection;
  const updates: unknown[] = [];
  const refresher = createListRefresher(
    () => current,
    signal,
    (list) => updates.push(list),
  );
  refresher.refresh();
  current = after.connection;
  refresher.refresh();
  before.lists[0]?.reject(new Error('the connection was lost'));
  await expect.poll(() => after.lists).toHaveLength(1);
  after.lists[0]?.resolve(listed);
  await refresher.settled();
  expect(updates).toEqual([listed]);
});

test('a server that announces a change after each list is asked ever more rarely', async () => {
  verifies('mcp.loops');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let lists = 0;
  const only = {
    listTools: () => {
      lists += 1;
      setTimeout(() => refresher.refresh(), 1);
      return Promise.resolve(listed);
    },
  } as unknown as Connection;
  const refresher = createListRefresher(
    () => only,
    signal,
    () => {},
  );
  refresher.refresh();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(lists).toBeGreaterThan(40);
  expect(lists).toBeLessThan(400);
  refresher.stop();
});
