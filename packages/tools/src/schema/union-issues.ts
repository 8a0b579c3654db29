import type { Fault } from './check.ts';

/**
 * What to tell of a value that fits no branch of a union: the types and values that would do, the place that tells the branches apart,
 * or the faults of the nearest branch. `own` is the fault of the union itself.
 */
export function closestFaults(own: Fault, found: readonly (readonly Fault[])[]): readonly Fault[] {
  const here = (faults: readonly Fault[]): readonly Fault[] => faults.filter((fault) => fault.path === own.path);
  if (found.every((faults) => here(faults).some((fault) => (fault.types ?? fault.allowed) !== undefined))) {
    const types = [...new Set(found.flatMap((faults) => here(faults).flatMap((fault) => fault.types ?? [])))];
    const allowed = found.flatMap((faults) => here(faults).flatMap((fault) => fault.allowed ?? []));
    const expected = types.length === 0 ? 'one of the allowed values' : types.join(' or ');
    const facts = { ...(types.length > 0 ? { types } : {}), ...(allowed.length > 0 ? { allowed } : {}) };
    return [{ ...own, expected, ...facts }];
  }
  const tag = discriminator(found);
  if (tag !== undefined) return [tag];
  // A branch whose fixed values fit is the one that was meant; then the one with the fewest faults.
  const score = (faults: readonly Fault[]): number =>
    faults.length +
    faults.filter((fault) => fault.keyword === 'const' || fault.keyword === 'enum').length * 1000 +
    here(faults).filter((fault) => fault.keyword === 'type').length * 100_000;
  return found.toSorted((a, b) => score(a) - score(b))[0] ?? [own];
}

/** Where every branch wants another fixed value in the same place, the place is what to tell of, with all the values. */
function discriminator(found: readonly (readonly Fault[])[]): Fault | undefined {
  const [first = []] = found;
  for (const fault of first) {
    const same = found.map((faults) =>
      faults.find((other) => other.path === fault.path && other.allowed !== undefined),
    );
    if (same.some((other) => other === undefined)) continue;
    const allowed = same.flatMap((other) => other?.allowed ?? []);
    return {
      ...fault,
      keyword: 'enum',
      allowed,
      accepts: (candidate) => same.some((other) => other?.accepts(candidate)),
    };
  }
  return undefined;
}
