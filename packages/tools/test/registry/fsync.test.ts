import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRegistry, saveRegistry } from '../../src/index.ts';
import { simple } from '../support.ts';

test('the saved state is on the disk before it takes the place of the old file', async () => {
  verifies('tools.persist.save');
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'state.json');
  writeFileSync(file, 'old');
  const probe = await open(folder);
  const handles = Object.getPrototypeOf(probe) as { sync: () => Promise<void> };
  await probe.close();
  const real = handles.sync;
  const atSync: string[] = [];
  const spy = vi.spyOn(handles, 'sync').mockImplementation(async function (this: unknown) {
    await Reflect.apply(real, this, []);
    const temporary = readdirSync(folder).find((name) => name.endsWith('.tmp')) ?? 'none';
    atSync.push(readFileSync(file, 'utf8'), readFileSync(join(folder, temporary), 'utf8'));
  });
  onTestFinished(() => spy.mockRestore());
  await saveRegistry(createRegistry([simple('a')]), file);
  expect(atSync).toEqual(['old', readFileSync(file, 'utf8')]);
  expect(readdirSync(folder)).toEqual(['state.json']);
});
