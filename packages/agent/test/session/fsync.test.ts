import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openFileSession } from '../../src/session/file-session.ts';
import { user } from '../support.ts';

test.each([
  [{ fsync: true }, ['write', 'sync', 'done', 'write', 'sync', 'done']],
  [{ fsync: false }, ['write', 'done', 'write', 'done']],
  [undefined, ['write', 'done', 'write', 'done']],
])('with %j an append ends after these steps: %j', async (options, expected) => {
  verifies('agent.session.fsync');
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const session = await openFileSession(join(folder, 'a.jsonl'), options);
  onTestFinished(() => session.close());
  await session.append([{ type: 'message', message: user('first, after the head of the file') }]);

  const steps: string[] = [];
  // Only a sync of Node's own handle makes the disk, not the operating system, hold what was written.
  const probe = await open(folder);
  const handles = Object.getPrototypeOf(probe) as Record<'appendFile' | 'sync', (...args: unknown[]) => Promise<void>>;
  await probe.close();
  for (const [name, step] of [
    ['appendFile', 'write'],
    ['sync', 'sync'],
  ] as const) {
    const real = handles[name];
    const spy = vi.spyOn(handles, name).mockImplementation(async function (this: unknown, ...args: unknown[]) {
      await Reflect.apply(real, this, args);
      steps.push(step);
    });
    onTestFinished(() => spy.mockRestore());
  }
  for (const content of ['a', 'b']) {
    await session.append([{ type: 'message', message: user(content) }]);
    steps.push('done');
  }
  expect(steps).toEqual(expected);
});
