import type { ValidationIssue } from './check-types.ts';

// For a value that matches no branch: the types and values that would be accepted, the property that discriminates between the branches, or the issues
// of the closest branch.
export function unionIssues(
  unionIssue: ValidationIssue,
  branches: readonly (readonly ValidationIssue[])[],
): readonly ValidationIssue[] {
  const atUnion = (issues: readonly ValidationIssue[]): readonly ValidationIssue[] =>
    issues.filter((issue) => issue.path === unionIssue.path);
  if (branches.every((issues) => atUnion(issues).some((issue) => (issue.types ?? issue.allowed) !== undefined))) {
    const types = [...new Set(branches.flatMap((issues) => atUnion(issues).flatMap((issue) => issue.types ?? [])))];
    const allowed = branches.flatMap((issues) => atUnion(issues).flatMap((issue) => issue.allowed ?? []));
    const expected = types.length === 0 ? 'one of the allowed values' : types.join(' or ');
    const details = { ...(types.length > 0 ? { types } : {}), ...(allowed.length > 0 ? { allowed } : {}) };
    return [{ ...unionIssue, expected, ...details }];
  }
  const discriminator = discriminatorIssue(branches);
  if (discriminator !== undefined) return [discriminator];
  // A branch whose constant values match is the intended one; otherwise the one with the fewest issues.
  const score = (issues: readonly ValidationIssue[]): number =>
    issues.length +
    issues.filter((issue) => issue.keyword === 'const' || issue.keyword === 'enum').length * 1000 +
    atUnion(issues).filter((issue) => issue.keyword === 'type').length * 100_000;
  return branches.toSorted((a, b) => score(a) - score(b))[0] ?? [unionIssue];
}

/** Every branch requires another constant at the same path. */
function discriminatorIssue(branches: readonly (readonly ValidationIssue[])[]): ValidationIssue | undefined {
  const [first = []] = branches;
  for (const issue of first) {
    const same = branches.map((issues) =>
      issues.find((other) => other.path === issue.path && other.allowed !== undefined),
    );
    if (same.some((other) => other === undefined)) continue;
    const allowed = same.flatMap((other) => other?.allowed ?? []);
    return {
      ...issue,
      keyword: 'enum',
      allowed,
      accepts: (candidate) => same.some((other) => other?.accepts(candidate)),
    };
  }
  return undefined;
}
