import { link, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { isObject } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { processIdentity, type ProcessIdentity, isRunning } from './process-identity.ts';
import { storeError } from './store-error.ts';

/** How often the lock of a process that has ended is taken over before another process that is faster is believed. */
const MAX_ATTEMPTS = 10;
/** An empty or unreadable lock is what a crash left, once it is older than a lock takes to be written. */
const WRITE_MS = 5_000;

/**
 * Acquires the lock of a file (`<path>.lock`, which names a process) and returns a function that releases it. Throws `SESSION_LOCKED`
 * while the process that holds it runs; the lock of a process that has ended is taken over, by one process only.
 */
export async function acquireFileLock(path: string): Promise<() => Promise<void>> {
  return Promise.reject(new Error('todo'));
}
