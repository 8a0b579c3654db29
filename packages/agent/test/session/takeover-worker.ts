import { parentPort, workerData } from 'node:worker_threads';
import { acquireFileLock } from '../../src/session/file-lock.ts';

interface Data {
  readonly paths: readonly string[];
  readonly workers: number;
  /** How many workers have come to a race, in all races so far; then the winners of each race. */
  readonly counts: Int32Array;
}

const { paths, workers, counts } = workerData as Data;
const errors = new Set<string>();
for (const [race, path] of paths.entries()) {
  // All begin a race at once.
  if (Atomics.add(counts, 0, 1) + 1 === (race + 1) * workers) Atomics.notify(counts, 0);
  for (let here = Atomics.load(counts, 0); here < (race + 1) * workers; here = Atomics.load(counts, 0))
    Atomics.wait(counts, 0, here, 1);
  try {
    // oxlint-disable-next-line no-await-in-loop
    await acquireFileLock(path);
    Atomics.add(counts, race + 1, 1);
  } catch (error) {
    errors.add(error instanceof Error && 'code' in error ? String(error.code) : String(error));
  }
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage([...errors]);
