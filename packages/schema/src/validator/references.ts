import {
  type Check,
  type KeywordContext,
  type ValidationContext,
  type InstancePath,
  type Memo,
  type MemoizedResult,
  type ValidationIssue,
  addEvaluated,
  createEvaluated,
} from './checks.ts';
import type { SchemaResource } from './schema-index.ts';

/** A reference that cannot be resolved accepts nothing; `inspectSchema` rejects those in tools. */
export function referenceChecks(context: KeywordContext): readonly Check[] {
  const { schema, resource, index } = context;
  const checks: Check[] = [];
  if (typeof schema['$ref'] === 'string') {
    const target = index.resolve(schema['$ref'], resource);
    checks.push(
      target === undefined
        ? context.never
        : memoize(entering(context.compile(target.schema), target.resource, context.tracksScope), context.tracksScope),
    );
  }
  if (typeof schema['$dynamicRef'] === 'string' && context.dialect.draft === '2020-12') {
    const target = index.resolve(schema['$dynamicRef'], resource);
    if (target === undefined) return [...checks, context.never];
    const name = target.dynamicName;
    const initial = entering(context.compile(target.schema), target.resource, context.tracksScope);
    checks.push(memoize(name === undefined ? initial : dynamicCheck(name, initial, context), true));
  }
  return checks;
}

function dynamicCheck(name: string, initial: Check, context: KeywordContext): Check {
  return (value, path, validation, evaluated) => {
    for (const resource of validation.scope) {
      const found = resource.dynamicAnchors.get(name);
      if (found !== undefined)
        return entering(context.compile(found), resource, context.tracksScope)(value, path, validation, evaluated);
    }
    return initial(value, path, validation, evaluated);
  };
}

/** If the scope is not tracked, this is the check itself. */
export function entering(check: Check, resource: SchemaResource, tracksScope: boolean): Check {
  if (!tracksScope) return check;
  return (value, path, validation, evaluated) => {
    // The outermost resource wins: entering one again changes nothing.
    if (validation.scope.includes(resource)) return check(value, path, validation, evaluated);
    const inner: ValidationContext = {
      issues: validation.issues,
      memo: validation.memo,
      scope: [...validation.scope, resource],
    };
    return check(value, path, inner, evaluated);
  };
}

/** How many references are followed before results are kept: ordinary values never pay for it. */
const FREE_STEPS = 500;
/** How many references are followed when results depend on the dynamic scope, which can differ at every step. */
const MAX_DYNAMIC_STEPS = 20_000;
/** How many issues are copied from a cached result; no reader uses more. */
const MAX_ISSUES = 200;

export function createMemo(): Memo {
  return { steps: 0, results: undefined };
}

/**
 * Keeps recursion through a union from taking exponential time. `dynamic` means that the result depends on the dynamic scope too; then too many steps
 * throw.
 */
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
