/**
 * How much work something is, for tests that run beside other programs: CPU time of this process, so that waiting for a processor does not
 * count, and of many interleaved rounds the cheapest, because whatever else goes on can only make a round dearer.
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
  let leastWork = Infinity;
  let leastReference = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- side by side they would measure each other
    leastReference = Math.min(leastReference, await cpuTimeOf(reference));
    // oxlint-disable-next-line no-await-in-loop
    leastWork = Math.min(leastWork, await cpuTimeOf(work));
  }
  return leastWork / leastReference;
}
