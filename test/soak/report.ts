/** The memory of a process after a garbage collection. */
export interface MemorySample {
  /** Seconds since the start of the process. */
  readonly seconds: number;
  /** Objects and buffers. */
  readonly heapBytes: number;
  /** Resident memory. */
  readonly rssBytes: number;
}

/** What the worker of a soak test reports when its time is up. */
export interface SoakReport {
  /** The number of scenarios it has run. */
  readonly played: number;
  /** How often each kind of scenario ended in each way. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Up to 20 scenarios that ended in a way they must not. */
  readonly unexpected: readonly string[];
  /** The samples, in order. */
  readonly samples: readonly MemorySample[];
}

const MIB = 1024 * 1024;
/** Until then, caches and compiled code still grow. */
const SETTLED_SECONDS = 120;

/** Returns the growth of memory in MiB per minute, by linear regression over the samples after the second minute, or over the second half of a shorter test. */
export function slopeOf(samples: readonly MemorySample[], of: 'heapBytes' | 'rssBytes'): number {
  const last = samples.at(-1)?.seconds ?? 0;
  const from = Math.min(SETTLED_SECONDS, last / 2);
  const points = samples.filter(({ seconds }) => seconds >= from);
  if (points.length < 3) return Number.NaN;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map(({ seconds }) => seconds));
  const y = mean(points.map((point) => point[of]));
  const above = points.reduce((sum, point) => sum + (point.seconds - x) * (point[of] - y), 0);
  const below = points.reduce((sum, { seconds }) => sum + (seconds - x) ** 2, 0);
  return ((above / below) * 60) / MIB;
}
