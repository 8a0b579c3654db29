/** The memory of a process after a collection of garbage. */
export interface MemorySample {
  /** Since its start. */
  readonly seconds: number;
  /** Objects and buffers. */
  readonly heapBytes: number;
  /** Resident memory. */
  readonly rssBytes: number;
}

/** What the worker of a soak tells when its time is up. */
export interface SoakReport {
  /** How many scenarios it has played. */
  readonly played: number;
  /** How often each kind of scenario ended in each way. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Scenarios that ended in a way that they must not, at most 20. */
  readonly unexpected: readonly string[];
  /** In order. */
  readonly samples: readonly MemorySample[];
}

const MIB = 1024 * 1024;
/** Until then caches and compiled code fill. */
const SETTLED_SECONDS = 120;

/** By how many MiB a minute the memory grows: a line through the samples after the second minute, or of the second half of a shorter soak. */
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
