import type { Check, KeywordContext } from './check-types.ts';
import {
  addEvaluated,
  collectIssues,
  createEvaluated,
  createIssue,
  passes,
  reportIssue,
  withoutIssues,
} from './issues.ts';
import { isSchema } from './schema-index.ts';
import { unionIssues } from './union-issues.ts';

export function logicChecks(context: KeywordContext): readonly Check[] {
  return [allOf(context), anyOf(context), oneOf(context), not(context), conditional(context)].filter(
    (check) => check !== undefined,
  );
}

function branches(context: KeywordContext, keyword: string): readonly Check[] {
  const list = context.schema[keyword];
  return Array.isArray(list) ? list.filter((item) => isSchema(item)).map((item) => context.compile(item)) : [];
}

function allOf(context: KeywordContext): Check | undefined {
  const checks = branches(context, 'allOf');
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
  const checks = branches(context, 'anyOf');
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
  const checks = branches(context, 'oneOf');
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
