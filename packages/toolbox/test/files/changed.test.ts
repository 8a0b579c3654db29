import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { globTool } from '../../src/files/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';

/** Noon on the clock of this machine. */
const NOW = new Date(2026, 10, 23, 12);
const FILES = {
  'now.ts': 0,
  'morning.ts': 11,
  'evening.ts': 13,
  'last-night.md': 20,
  'before.ts': 37,
  'later.ts': -13,
};

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'changed-'));
  for (const [name, hours] of Object.entries(FILES)) {
    await writeFile(join(root, name), '');
    const time = new Date(NOW.getTime() - hours * 3_600_000 - 1);
    await utimes(join(root, name), time, time);
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

const NOTE = '(without files that changed again today)';

test.each([
  ['*', 'today', 'morning.ts\nnow.ts'],
  ['*', 'yesterday', `evening.ts\nlast-night.md\n${NOTE}`],
  ['*.ts', 'yesterday', `evening.ts\n${NOTE}`],
  ['*', '2 hours', 'later.ts\nnow.ts'],
  ['*', '1 minute', 'later.ts\nnow.ts'],
  ['*.js', 'today', 'No file matches "*.js" with a last change today, apart from what .gitignore leaves out.'],
  ['*.js', '3 days', 'No file matches "*.js" with a last change within 3 days, apart from what .gitignore leaves out.'],
])('files that match %s and changed %s', async (pattern, changed, found) => {
  verifies('toolbox.files.changed');
  const registry = createRegistry([globTool(await createWorkspace({ root }), () => NOW.getTime())]);
  expect((await registry.execute('glob', { pattern, changed })).forLLM).toBe(found);
});

test.each(['tomorrow', 'last week', '3 fortnights', ''])('another time is refused: %j', async (changed) => {
  verifies('toolbox.files.changed');
  const registry = createRegistry([globTool(await createWorkspace({ root }))]);
  expect((await registry.execute('glob', { pattern: '*', changed })).forLLM).toContain('changed');
});
