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

/** Shorter times are noise. */
const FLOOR_MS = 4;
const ROUNDS = 3;
/** A size that takes this long is the last one: growth shows by then. */
const LONG_MS = 300;

/**
 * Measures how the processor time of `work` multiplies when its input doubles: about 2 for linear work, about 4 for quadratic work. Returns
 * the factor of the last two doublings together as one factor for each, so that a single pause does not decide.
 *
 * Each size counts with its shortest run of three, taken in turn with the others; time under 4 ms counts as 4 ms.
 */
export async function timeGrowth<Input>(options: TimeGrowthOptions<Input>): Promise<number> {
  const { make, work, largest = 262_144, doublings = 6 } = options;
  const sizes = Array.from({ length: doublings + 1 }, (_, index) => Math.ceil(largest / 2 ** (doublings - index)));
  const inputs = sizes.map(make);
  const times = sizes.map(() => Infinity);
  let last = doublings;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let index = 0; index <= last; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one measurement at a time
      const ms = await cpuMs(() => work(inputs[index] ?? make(sizes[index] ?? 0)));
      times[index] = Math.min(times[index] ?? Infinity, ms);
      if (ms > LONG_MS) last = Math.min(last, index);
    }
  }
  const at = (index: number): number => Math.max(times[index] ?? 0, FLOOR_MS);
  return last < 2 ? Infinity : Math.sqrt(at(last) / at(last - 2));
}

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { system, user } = process.cpuUsage(before);
  return (system + user) / 1000;
}
