import { open, readFile, unlink } from 'node:fs/promises';
import { KernelError } from '@kernel/protocol';
import { storeError } from './store-error.ts';

/**
 * Acquires the lock of a file (`<path>.lock`, which holds a process id) and returns a function that releases it. Throws `SESSION_LOCKED`
 * while the process that holds it lives; the lock of a dead process is taken over.
 */
export async function acquireFileLock(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const file = await open(lock, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return () => unlink(lock).catch(() => {});
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw storeError(`The lock ${lock} could not be created`, error);
      const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (attempt > 1 || isAlive(holder))
        throw new KernelError('SESSION_LOCKED', `The session ${path} is open in process ${holder || 'unknown'}.`, {
          hint: `Close it there, or remove ${lock} if no such process is running.`,
          retryable: true,
        });
      await unlink(lock).catch(() => {});
    }
  }
}

function isAlive(pid: number): boolean {
  // An empty lock was just created by a process that has not written its id yet.
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
