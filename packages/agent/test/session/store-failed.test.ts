import type { StepExecutor } from '@kernel/protocol';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { collect, createMemorySession, loadHistory, run, runSession, type SessionEntry } from '../../src/index.ts';
import { openFileSession } from '../../src/session/file-session.ts';
import { readAll, user } from '../support.ts';

const model = 'm';
const diskFull = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const messages = [user('Go')];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'store-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test.each(['message', 'call-start'] as const)(
  'a full disk at a "%s" entry ends the run with STORE_FAILED, and nothing runs after it',
  async (type) => {
    verifies('agent.session.storeFailed');
    const memory = createMemorySession();
    const session = {
      ...memory,
      append: (entries: readonly SessionEntry[]) =>
        entries.some((entry) => entry.type === type && (entry.type !== 'message' || entry.message.role !== 'user'))
          ? Promise.reject(diskFull())
          : memory.append(entries),
    };
    const tools = mockToolset([mockTool('writes', 'w', { effect: 'write' })]);
    const provider = scriptedProvider([{ calls: [{ name: 'writes' }] }, { text: 'Done.' }]);
    const result = await collect(runSession({ session, provider, model, messages, tools }));
    expect(result).toMatchObject({ reason: 'error', error: { code: 'STORE_FAILED', data: { code: 'ENOSPC' } } });
    expect(result.reason === 'error' && result.error.hint).toContain('space');
    expect(tools.calls).toHaveLength(0);
  },
);

test('a session that cannot be read or written before the run starts is thrown as STORE_FAILED', async () => {
  verifies('agent.session.storeFailed');
  const provider = scriptedProvider([]);
  for (const method of ['entries', 'append'] as const) {
    const session = { ...createMemorySession(), [method]: () => Promise.reject(diskFull()) };
    await expect(readAll(runSession({ session, provider, model, messages }))).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('ENOSPC'),
    });
  }
  const unreadable = { ...createMemorySession(), entries: () => Promise.reject(diskFull()) };
  await expect(loadHistory(unreadable)).rejects.toMatchObject({ code: 'STORE_FAILED' });
});

test('a session file that cannot be opened is STORE_FAILED with the code of the system', async () => {
  verifies('agent.session.storeFailed');
  const path = folder();
  await expect(openFileSession(join(path, 'missing', 'a.jsonl'))).rejects.toMatchObject({
    code: 'STORE_FAILED',
    data: { code: 'ENOENT' },
    hint: 'Create the folder first.',
  });
  await expect(openFileSession(path)).rejects.toMatchObject({ code: 'STORE_FAILED', data: { code: 'EISDIR' } });
});

test('a session file on a full disk refuses the entry and all later ones with STORE_FAILED', async () => {
  verifies('agent.session.storeFailed');
  const path = join(folder(), 'a.jsonl');
  const session = await openFileSession(path);
  const handle = await open(path);
  const files = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const append = vi.spyOn(files, 'appendFile').mockRejectedValueOnce(diskFull());
  onTestFinished(() => append.mockRestore());
  const entry: SessionEntry = { type: 'message', message: user('a') };
  await expect(session.append([entry])).rejects.toMatchObject({ code: 'STORE_FAILED', data: { code: 'ENOSPC' } });
  await expect(session.append([entry])).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await session.close();
  const again = await openFileSession(path);
  expect(await again.entries()).toEqual([]);
  await again.close();
});

test('a step executor that fails by itself is STORE_FAILED; the error of a step stays as it is', async () => {
  verifies('agent.session.storeFailed');
  const full = { all: () => Promise.reject(diskFull()) };
  expect(await collect(run({ provider: scriptedProvider([]), model, messages, steps: full }))).toMatchObject({
    reason: 'error',
    error: { code: 'STORE_FAILED' },
  });
  const passes: StepExecutor = { all: (batch) => Promise.all(batch.map((step) => step.run())) };
  const broken = {
    name: 'broken',
    stream: () => {
      throw new TypeError('x is undefined');
    },
  };
  expect(await collect(run({ provider: broken, model, messages, steps: passes }))).toMatchObject({
    reason: 'error',
    error: { code: 'PROVIDER_PROTOCOL' },
  });
});
