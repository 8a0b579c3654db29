import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFileSession } from '../../src/session/file-session.ts';

function sessionPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'a.jsonl');
}

test('a second writer is refused, in this process and from another; a lock of a dead process is taken over', async () => {
  const path = sessionPath();
  const session = await openFileSession(path);
  await expect(openFileSession(path)).rejects.toMatchObject({
    code: 'SESSION_LOCKED',
    hint: expect.stringContaining('.lock'),
  });
  await session.close();
  const pid = execFileSync(process.execPath, ['-e', 'process.stdout.write(String(process.pid))'], { encoding: 'utf8' });
  writeFileSync(`${path}.lock`, pid);
  await (await openFileSession(path)).close();
});
