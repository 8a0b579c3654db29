/**
 * How much work something is, for tests that run beside other programs: CPU time of this process, so that waiting for a processor does not
 * count. Each round measures both sides one after the other, so that what else goes on meets both; the median of the rounds' ratios is
 * moved neither by one that was disturbed nor by one that was lucky.
 */

/** Milliseconds of CPU time, user and system, that the work takes. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How many times as much CPU time the work takes as the reference. */
export async function cpuRatio(work: () => unknown, reference: () => unknown, rounds = 7): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- side by side they would measure each other
    const before = await cpuTimeOf(reference);
    // oxlint-disable-next-line no-await-in-loop
    ratios.push((await cpuTimeOf(work)) / before);
  }
  return ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Infinity;
}

const REFERENCE_TEXT = JSON.stringify(
  Array.from({ length: 4_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a'] })),
);

/** A fixed amount of work, about ten milliseconds on the machine on which the bounds were measured. */
export function referenceWork(): void {
  for (let count = 0; count < 6; count += 1) JSON.parse(REFERENCE_TEXT);
}
