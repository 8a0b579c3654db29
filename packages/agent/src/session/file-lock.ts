import { open, readFile, unlink } from 'node:fs/promises';
import { KernelError } from '@kernel/protocol';

/**
 * Takes the lock of a file (`<path>.lock`, which holds a process id) and returns its release. Throws `SESSION_LOCKED` while its
 * holder lives; a lock whose process is gone is taken over.
 */
export async function acquireLock(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const file = await open(lock, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return () => unlink(lock).catch(() => {});
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (attempt > 1 || isAlive(holder))
        throw new KernelError('SESSION_LOCKED', `The session ${path} is open in process ${holder || 'unknown'}.`, {
          hint: `Close it there, or remove ${lock} if no such process runs.`,
          retryable: true,
        });
      await unlink(lock).catch(() => {});
    }
  }
}

function isAlive(pid: number): boolean {
  // An empty lock was just made by somebody who has not written yet.
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
