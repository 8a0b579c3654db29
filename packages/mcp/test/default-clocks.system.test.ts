import type { Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectMcp } from '../src/index.ts';
import { createToolsetTurns } from '../src/server/tools/toolset-turns.ts';
import { call, connected, server } from './client/programs.ts';

const startVirtualTime = (): void =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
beforeEach(startVirtualTime);
afterEach(() => void vi.useRealTimers());

/** Says whether the promise settles exactly when `ms` have passed, and not one millisecond before. */
async function settlesAfter(ms: number, work: Promise<unknown>): Promise<readonly boolean[]> {
  let hasSettled = false;
  const settled = (): void => void (hasSettled = true);
  void work.then(settled, settled);
  await vi.advanceTimersByTimeAsync(ms - 1);
  const before = hasSettled;
  await vi.advanceTimersByTimeAsync(1);
  return [before, hasSettled];
}

test('without any option a server that does not answer is given up after 60 seconds, and not before', async () => {
  verifies('mcp.client.clocks');
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const fetch = (): Promise<Response> => {
    ask();
    return new Promise(() => {});
  };
  const connecting = connectMcp({ mcpServers: { a: { url: 'http://127.0.0.1:9/mcp' } } }, { fetch });
  const failure = connecting.catch((error: unknown) => error);
  // The clock starts when the official SDK is loaded.
  await asked;
  expect(await settlesAfter(60_000, connecting)).toEqual([false, true]);
  expect(await failure).toMatchObject({ code: 'TOOL_UNAVAILABLE', message: expect.stringContaining('60000 ms') });
});

test('without any option a call without result or progress times out after 60 seconds, and not before', async () => {
  verifies('mcp.client.clocks');
  vi.useRealTimers();
  const toolset = await connected({ a: server('hangs') });
  startVirtualTime();
  const result = call(toolset, 'mcp__a__hangs');
  expect(await settlesAfter(60_000, result)).toEqual([false, true]);
  expect(await result).toMatchObject({ code: 'TOOL_TIMEOUT' });
  vi.useRealTimers();
});

test('the beginning of a turn of a served toolset ends after 30 seconds, and not before', async () => {
  verifies('mcp.server.clocks');
  const toolset = {
    list: () => [],
    prepare: () => Promise.reject(new Error('not called')),
    listFor: () => new Promise<readonly Tool[]>(() => {}),
  };
  const turn = createToolsetTurns(toolset).begin(new AbortController().signal, undefined);
  const failure = turn.catch((error: unknown) => error);
  expect(await settlesAfter(30_000, turn)).toEqual([false, true]);
  expect(await failure).toMatchObject({ message: expect.stringContaining('30000 ms') });
});
