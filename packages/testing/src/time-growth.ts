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
/** Growth beyond this may be noise, such as a collection of garbage: it is measured in more rounds. */
const CLEAR_GROWTH = 2.4;
const MAX_ROUNDS = 12;
/** A size that takes this long is the last one: growth shows by then. */
const LONG_MS = 300;

/**
 * Measures how the processor time of `work` multiplies when its input doubles: about 2 for linear work, about 4 for quadratic work. Returns
 * the factor of the last two doublings together as one factor for each, so that a single pause does not decide.
 *
 * Sizes double from the smallest up to the largest, or to the first that takes long. Of the last three, the shortest of three runs counts, or
 * of twelve where the growth is not clear, taken in turn; work that takes less than 2 ms is repeated.
 */
export async function timeGrowth<Input>(options: TimeGrowthOptions<Input>): Promise<number> {
  const { make, work, largest = 262_144, doublings = 6 } = options;
  const sizes: number[] = [];
  for (let index = 0; index <= doublings; index += 1) {
    const size = Math.ceil(largest / 2 ** (doublings - index));
    sizes.push(size);
    const input = make(size);
    // oxlint-disable-next-line no-await-in-loop -- one measurement at a time
    if ((await cpuMs(() => work(input))) > LONG_MS) break;
  }
  if (sizes.length < 3) return Infinity;
  const measured = sizes.slice(-3).map((size) => ({ input: make(size), ms: Infinity }));
  const growth = (): number => Math.sqrt((measured[2]?.ms ?? 0) / (measured[0]?.ms ?? 0));
  for (let round = 0; round < ROUNDS || (round < MAX_ROUNDS && growth() > CLEAR_GROWTH); round += 1) {
    for (const each of measured) {
      // oxlint-disable-next-line no-await-in-loop
      each.ms = Math.min(each.ms, await averageMs(() => work(each.input)));
    }
  }
  return growth();
}

/** The processor time of one run, of as many as take longer than the floor. */
async function averageMs(work: () => unknown): Promise<number> {
  let total = 0;
  let runs = 0;
  for (let batch = 1; total < FLOOR_MS; batch *= 2) {
    const count = batch;
    // oxlint-disable-next-line no-await-in-loop
    total += await cpuMs(async () => {
      for (let run = 0; run < count; run += 1) await work();
    });
    runs += count;
  }
  return total / runs;
}

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { system, user } = process.cpuUsage(before);
  return (system + user) / 1000;
}
