import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';

// The rehearsal itself needs the npm registry for the packages of others, and minutes; CI runs it. Here: that it goes
// nowhere else.
const root = resolve(import.meta.dirname, '../../..');

test('what a rehearsal started ends with it, also when it is asked to end', async () => {
  verifies('release.rehearsal');
  const program = `
    import { spawn } from 'node:child_process';
    import { endWithProcess, exitOnSignals } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/release/shell.ts')).href)};
    exitOnSignals();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    endWithProcess(child);
    child.once('spawn', () => console.log(child.pid));
    setInterval(() => {}, 1000);
  `;
  const rehearsal = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(rehearsal.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  const exited = once(rehearsal, 'exit');
  rehearsal.kill('SIGTERM');
  expect(await exited).toEqual([143, null]);
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 30_000 });
});
