import type { Check, InstancePath, Memo, MemoizedResult, ValidationIssue } from './check-types.ts';
import { addEvaluated, createEvaluated } from './issues.ts';

/** How many references are followed before results are kept: ordinary values never pay for it. */
const FREE_STEPS = 500;
/** How many references are followed when results depend on the dynamic scope, which can differ at every step. */
const MAX_DYNAMIC_STEPS = 20_000;
/** How many issues are copied from a cached result; no reader uses more. */
const MAX_ISSUES = 200;

export function createMemo(): Memo {
  return { steps: 0, results: undefined };
}

/** So that recursion through a union does not take exponential time. `dynamic`: the result depends on the dynamic scope too, and too many steps throw. */
export function memoize(check: Check, dynamic: boolean): Check {
  return (value, path, validation, evaluated) => {
    const { memo, issues } = validation;
    memo.steps += 1;
    if (memo.steps < FREE_STEPS || typeof value !== 'object' || value === null)
      return check(value, path, validation, evaluated);
    const results = resultsOf(memo, check, dynamic ? validation.scope : undefined);
    const before = results.get(value);
    if (before !== undefined && (evaluated === undefined || before.evaluated !== undefined)) {
      if (before.ok || issues === undefined) {
        addEvaluated(evaluated, before.evaluated);
        return before.ok;
      }
      if (before.issues !== undefined && isSamePath(before.path, path)) {
        copyIssues(before.issues, issues);
        return false;
      }
    }
    if (dynamic && memo.steps > MAX_DYNAMIC_STEPS) throw new RangeError('The value needs too many steps to check.');
    const ownEvaluated = evaluated === undefined ? undefined : createEvaluated();
    const ownIssues: ValidationIssue[] | undefined = issues === undefined ? undefined : [];
    const ok = check(value, path, { ...validation, issues: ownIssues }, ownEvaluated);
    results.set(value, { ok, evaluated: ownEvaluated, issues: ownIssues, path });
    addEvaluated(evaluated, ownEvaluated);
    if (ownIssues !== undefined && issues !== undefined) copyIssues(ownIssues, issues);
    return ok;
  };
}

function resultsOf(memo: Memo, check: Check, scope: unknown): WeakMap<object, MemoizedResult> {
  memo.results ??= new Map();
  let byCheck = memo.results.get(scope);
  if (byCheck === undefined) memo.results.set(scope, (byCheck = new Map()));
  let results = byCheck.get(check);
  if (results === undefined) byCheck.set(check, (results = new WeakMap()));
  return results;
}

function copyIssues(source: readonly ValidationIssue[], target: ValidationIssue[]): void {
  for (const issue of source) if (target.length < MAX_ISSUES) target.push(issue);
}

function isSamePath(one: InstancePath | undefined, other: InstancePath | undefined): boolean {
  let [a, b] = [one, other];
  while (a !== b) {
    if (a === undefined || b === undefined || a.key !== b.key) return false;
    [a, b] = [a.parent, b.parent];
  }
  return true;
}
