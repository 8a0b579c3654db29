import { createHash } from 'node:crypto';

/** CPU milliseconds of this process while `work` runs, and the wall. */
export async function measure(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const wallMs = performance.now() - start;
  const used = process.cpuUsage(cpu);
  return { value, wallMs, cpuMs: (used.user + used.system) / 1000 };
}

/** The most memory that this process holds while `work` runs, above what it held before, in MiB. */
export async function measureMemory(work) {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => void (most = Math.max(most, process.memoryUsage.rss()));
  const timer = setInterval(look, 5);
  const value = await work();
  look();
  clearInterval(timer);
  return { value, grownMiB: (most - before) / 1024 / 1024 };
}

export const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);

export function median(values) {
  const sorted = [...values].toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The middle half of the values: their spread. */
export function quartiles(values) {
  const sorted = [...values].toSorted((a, b) => a - b);
  return [sorted[Math.floor((sorted.length - 1) * 0.25)], sorted[Math.ceil((sorted.length - 1) * 0.75)]];
}
