/**
 * How much work something is, for tests that run beside other programs: CPU time of this process, so that waiting for a processor does
 * not count. A virtual machine that shares its processors still counts time that it did not have;
 * both sides are therefore measured in turn, and of each the least of all rounds counts.
 */

const ROUNDS = 3;
const MAX_ROUNDS = 40;
/** No further round begins when the measurements have taken this long. */
const MAX_MS = 10_000;

/** Milliseconds of CPU time, user and system, that the work takes. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How many times as much CPU time the work takes as the reference. A ratio that is not below `below` is measured again and again before it is
 * believed: a disturbance passes, and what is really slow stays so.
 */
export async function cpuRatio(work: () => unknown, reference: () => unknown, below: number): Promise<number> {
  let [workMs, referenceMs, spentMs] = [Infinity, Infinity, 0];
  const isBelow = (): boolean => workMs / referenceMs < below;
  for (let round = 0; round < ROUNDS || (round < MAX_ROUNDS && spentMs < MAX_MS && !isBelow()); round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- side by side they would measure each other
    const [before, after] = [await cpuTimeOf(reference), await cpuTimeOf(work)];
    [workMs, referenceMs] = [Math.min(workMs, after), Math.min(referenceMs, before)];
    spentMs += before + after;
  }
  return workMs / referenceMs;
}

const REFERENCE_TEXT = JSON.stringify(
  Array.from({ length: 4_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a'] })),
);

/** A fixed amount of work, about ten milliseconds on the machine on which the bounds were measured. */
export function referenceWork(): void {
  for (let count = 0; count < 6; count += 1) JSON.parse(REFERENCE_TEXT);
}
