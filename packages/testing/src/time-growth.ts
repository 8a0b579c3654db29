/** What is measured at growing sizes. */
export interface TimeGrowthOptions<Input> {
  /** Makes an input of about `size` characters or members. Its time does not count. */
  readonly make: (size: number) => Input;
  /** The work on one input. */
  readonly work: (input: Input) => unknown;
  /** The largest size. Default 262,144. */
  readonly largest?: number | undefined;
  /** How often the size doubles up to the largest. Default 6. */
  readonly doublings?: number | undefined;
}

/** Shorter times are noise: work that takes less is repeated until it has taken that long. */
const FLOOR_MS = 2;
const ROUNDS = 3;
/** Growth beyond this may be noise, such as a processor that is shared: it is measured in more rounds. */
const CLEAR_GROWTH = 2.4;
const MAX_ROUNDS = 40;
/** No further round begins when the measurements have taken this long, as they do where the growth is real. */
const MAX_MS = 6_000;
/** A size that takes this long is the last one, if it is the third at least: growth shows by then. */
const LONG_MS = 100;
/** Nothing larger is tried after a size that takes this long. */
const TOO_LONG_MS = 3_000;

/**
 * Measures how the processor time of `work` multiplies when its input doubles: about 2 for linear work, about 4 for quadratic work. Returns
 * the factor of the last two doublings together as one factor for each, so that a single pause does not decide.
 *
 * Sizes double from the smallest up to the largest, or to the first that takes long. The last and the last but two are measured in turn, the
 * smaller one four times as often, so that a busy machine disturbs both alike. The shortest of three rounds counts, or of forty where the
 * growth is not clear.
 */
export async function timeGrowth<Input>(options: TimeGrowthOptions<Input>): Promise<number> {
  const { make, work, largest = 262_144, doublings = 6 } = options;
  const sizes: number[] = [];
  for (let index = 0; index <= doublings; index += 1) {
    const size = Math.ceil(largest / 2 ** (doublings - index));
    sizes.push(size);
    const input = make(size);
    // oxlint-disable-next-line no-await-in-loop -- one measurement at a time
    const tookMs = await cpuMs(() => work(input), 1);
    if (tookMs > (sizes.length < 3 ? TOO_LONG_MS : LONG_MS)) break;
  }
  const [small, , large] = sizes.slice(-3).map(make);
  if (small === undefined || large === undefined) return Infinity;
  let runs = 1;
  let [smallMs, largeMs, spentMs] = [Infinity, Infinity, 0];
  const growth = (): number => 2 * Math.sqrt(largeMs / smallMs);
  for (let round = 0; round < ROUNDS || (round < MAX_ROUNDS && spentMs < MAX_MS && growth() > CLEAR_GROWTH);) {
    // oxlint-disable-next-line no-await-in-loop
    const fourSmallMs = await cpuMs(() => work(small), 4 * runs);
    // oxlint-disable-next-line no-await-in-loop
    const oneLargeMs = await cpuMs(() => work(large), runs);
    if (Math.max(fourSmallMs, oneLargeMs) < FLOOR_MS) {
      runs *= 2;
      continue;
    }
    smallMs = Math.min(smallMs, fourSmallMs / runs);
    largeMs = Math.min(largeMs, oneLargeMs / runs);
    spentMs += fourSmallMs + oneLargeMs;
    round += 1;
  }
  return growth();
}

/** The processor time of so many runs. Of the whole process: Node reads that of one thread only to a few milliseconds. */
async function cpuMs(work: () => unknown, runs: number): Promise<number> {
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await work();
  }
  const { system, user } = process.cpuUsage(before);
  return (system + user) / 1000;
}
