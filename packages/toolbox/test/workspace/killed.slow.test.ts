import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/keeps-writing.ts', import.meta.url));
const FIRST = 'version 000000\n'.repeat(10_000);

function filesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('a kill at any moment leaves each file old or new and whole, and everything can be taken back', async () => {
  verifies('toolbox.workspace.whole');
  let changes = 0;
  for (let round = 0; round < 5; round += 1) {
    const base = folderWith();
    const root = join(base, 'root');
    const state = join(base, 'state');
    mkdirSync(root);
    for (const name of ['written.txt', 'edited.txt']) writeFileSync(join(root, name), FIRST);
    writeFileSync(join(root, 'patched.txt'), `version 000000\n${'rest\n'.repeat(20_000)}`);
    const child = spawn(process.execPath, ['--conditions=@kernel/source', PROGRAM, root, state], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = new Promise((resolve) => child.once('exit', resolve));
    // After one to five changes, and a while that differs: in the middle of work, however slow the machine is.
    let told = 0;
    child.stdout.on('data', (bytes: Buffer) => (told += bytes.toString().split('\n').length - 1));
    await vi.waitUntil(() => told > round % 5, { interval: 5, timeout: 120_000 });
    await new Promise((resolve) => setTimeout(resolve, round * 7));
    child.kill('SIGKILL');
    await exit;

    for (const file of filesOf(root).filter((each) => !each.endsWith('.tmp'))) {
      const lines = readFileSync(file, 'utf8').split('\n');
      const [count, kinds] = file.endsWith('patched.txt') ? [20_002, 2] : [10_001, 1];
      expect([lines.length, new Set(lines.slice(0, -1)).size]).toEqual([count, kinds]);
    }
    const workspace = await createWorkspace({ root, write: ['**'], state: { folder: state } });
    changes += workspace.undoable().length;
    await workspace.undo({ since: '' });
    const left = (await workspace.list('.')).map(({ name }) => name);
    expect(left).toEqual(['edited.txt', 'patched.txt', 'written.txt']);
    expect(readFileSync(join(root, 'written.txt'), 'utf8')).toBe(FIRST);
    expect(readFileSync(join(root, 'edited.txt'), 'utf8')).toBe(FIRST);
    expect(readFileSync(join(root, 'patched.txt'), 'utf8').slice(0, 15)).toBe('version 000000\n');
  }
  expect(changes).toBeGreaterThan(5);
});
