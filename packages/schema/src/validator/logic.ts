import {
  type Check,
  type KeywordContext,
  type ValidationIssue,
  addEvaluated,
  collectIssues,
  createEvaluated,
  createIssue,
  passes,
  reportIssue,
  withoutIssues,
} from './checks.ts';
import { isSchema } from './schema-index.ts';

export function logicChecks(context: KeywordContext): readonly Check[] {
  return [allOf(context), anyOf(context), oneOf(context), not(context), conditional(context)].filter(
    (check) => check !== undefined,
  );
}

function compileBranches(context: KeywordContext, keyword: string): readonly Check[] {
  const list = context.schema[keyword];
  return Array.isArray(list) ? list.filter((item) => isSchema(item)).map((item) => context.compile(item)) : [];
}

function allOf(context: KeywordContext): Check | undefined {
  const checks = compileBranches(context, 'allOf');
  if (checks.length === 0) return undefined;
  return (value, path, validation, evaluated) => {
    let ok = true;
    for (const check of checks) {
      if (check(value, path, validation, evaluated)) continue;
      if (validation.issues === undefined) return false;
      ok = false;
    }
    return ok;
  };
}

function anyOf(context: KeywordContext): Check | undefined {
  const checks = compileBranches(context, 'anyOf');
  if (checks.length === 0) return undefined;
  return (value, path, validation, evaluated) => {
    const fast = withoutIssues(validation);
    let ok = false;
    for (const check of checks) {
      const branchEvaluated = evaluated === undefined ? undefined : createEvaluated();
      if (!check(value, undefined, fast, branchEvaluated)) continue;
      addEvaluated(evaluated, branchEvaluated);
      ok = true;
      if (evaluated === undefined) return true; // no keyword needs to know what the other branches evaluate
    }
    if (!ok && validation.issues !== undefined) {
      const accepts = (candidate: unknown): boolean => checks.some((check) => passes(check, candidate, validation));
      validation.issues.push(
        ...unionIssues(
          createIssue(path, value, { keyword: 'anyOf', expected: 'one of the described forms' }, accepts),
          checks.map((check) => collectIssues(check, value, path, validation)),
        ),
      );
    }
    return ok;
  };
}

function oneOf(context: KeywordContext): Check | undefined {
  const checks = compileBranches(context, 'oneOf');
  if (checks.length === 0) return undefined;
  return (value, path, validation, evaluated) => {
    const fast = withoutIssues(validation);
    let count = 0;
    for (const check of checks) {
      const branchEvaluated = evaluated === undefined ? undefined : createEvaluated();
      if (!check(value, undefined, fast, branchEvaluated)) continue;
      addEvaluated(evaluated, branchEvaluated);
      count += 1;
    }
    if (count === 1 || validation.issues === undefined) return count === 1;
    const accepts = (candidate: unknown): boolean =>
      checks.filter((check) => passes(check, candidate, validation)).length === 1;
    if (count > 1) {
      return reportIssue(
        validation,
        path,
        value,
        { keyword: 'oneOf', expected: `a match for exactly one of ${checks.length} forms (it matches ${count})` },
        accepts,
      );
    }
    validation.issues.push(
      ...unionIssues(
        createIssue(path, value, { keyword: 'oneOf', expected: 'one of the described forms' }, accepts),
        checks.map((check) => collectIssues(check, value, path, validation)),
      ),
    );
    return false;
  };
}

function not(context: KeywordContext): Check | undefined {
  const inner = context.schema['not'];
  if (!isSchema(inner)) return undefined;
  const check = context.compile(inner);
  return (value, path, validation) =>
    !passes(check, value, validation) ||
    reportIssue(
      validation,
      path,
      value,
      { keyword: 'not', expected: 'another value' },
      (candidate) => !passes(check, candidate, validation),
    );
}

function conditional(context: KeywordContext): Check | undefined {
  const { schema } = context;
  if (!isSchema(schema['if'])) return undefined;
  const test = context.compile(schema['if']);
  const whenTrue = isSchema(schema['then']) ? context.compile(schema['then']) : undefined;
  const whenFalse = isSchema(schema['else']) ? context.compile(schema['else']) : undefined;
  return (value, path, validation, evaluated) => {
    const conditionEvaluated = evaluated === undefined ? undefined : createEvaluated();
    const holds = test(value, undefined, withoutIssues(validation), conditionEvaluated);
    if (holds) addEvaluated(evaluated, conditionEvaluated);
    const next = holds ? whenTrue : whenFalse;
    return next === undefined || next(value, path, validation, evaluated);
  };
}

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
