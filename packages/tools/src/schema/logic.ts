import { type Check, addSeen, faultAt, faultsOf, nothingSeen, passes, quiet, refuse } from './check.ts';
import { closestFaults } from './union-issues.ts';
import type { Build } from './keyword-context.ts';
import { isSchema } from './schema-index.ts';

/** The keywords that apply schemas to the same value: allOf, anyOf, oneOf, not, if/then/else. */
export function logicChecks(build: Build): readonly Check[] {
  return [allOf(build), anyOf(build), oneOf(build), not(build), conditional(build)].filter(
    (check) => check !== undefined,
  );
}

function branches(build: Build, keyword: string): readonly Check[] {
  const list = build.schema[keyword];
  return Array.isArray(list) ? list.filter((item) => isSchema(item)).map((item) => build.compile(item)) : [];
}

function allOf(build: Build): Check | undefined {
  const checks = branches(build, 'allOf');
  if (checks.length === 0) return undefined;
  return (value, at, run, seen) => {
    let ok = true;
    for (const check of checks) {
      if (check(value, at, run, seen)) continue;
      if (run.faults === undefined) return false;
      ok = false;
    }
    return ok;
  };
}

function anyOf(build: Build): Check | undefined {
  const checks = branches(build, 'anyOf');
  if (checks.length === 0) return undefined;
  return (value, at, run, seen) => {
    const silent = quiet(run);
    let ok = false;
    for (const check of checks) {
      const own = seen === undefined ? undefined : nothingSeen();
      if (!check(value, undefined, silent, own)) continue;
      addSeen(seen, own);
      ok = true;
      if (seen === undefined) return true; // nobody asks what the other branches look at
    }
    if (!ok && run.faults !== undefined) {
      const accepts = (candidate: unknown): boolean => checks.some((check) => passes(check, candidate, run));
      run.faults.push(
        ...closestFaults(
          faultAt(at, value, { keyword: 'anyOf', expected: 'one of the described forms' }, accepts),
          checks.map((check) => faultsOf(check, value, at, run)),
        ),
      );
    }
    return ok;
  };
}

function oneOf(build: Build): Check | undefined {
  const checks = branches(build, 'oneOf');
  if (checks.length === 0) return undefined;
  return (value, at, run, seen) => {
    const silent = quiet(run);
    let count = 0;
    for (const check of checks) {
      const own = seen === undefined ? undefined : nothingSeen();
      if (!check(value, undefined, silent, own)) continue;
      addSeen(seen, own);
      count += 1;
    }
    if (count === 1 || run.faults === undefined) return count === 1;
    const accepts = (candidate: unknown): boolean =>
      checks.filter((check) => passes(check, candidate, run)).length === 1;
    if (count > 1) {
      return refuse(
        run,
        at,
        value,
        { keyword: 'oneOf', expected: `a match for exactly one of ${checks.length} forms (it matches ${count})` },
        accepts,
      );
    }
    run.faults.push(
      ...closestFaults(
        faultAt(at, value, { keyword: 'oneOf', expected: 'one of the described forms' }, accepts),
        checks.map((check) => faultsOf(check, value, at, run)),
      ),
    );
    return false;
  };
}

function not(build: Build): Check | undefined {
  const inner = build.schema['not'];
  if (!isSchema(inner)) return undefined;
  const check = build.compile(inner);
  return (value, at, run) =>
    !passes(check, value, run) ||
    refuse(
      run,
      at,
      value,
      { keyword: 'not', expected: 'another value' },
      (candidate) => !passes(check, candidate, run),
    );
}

function conditional(build: Build): Check | undefined {
  const { schema } = build;
  if (!isSchema(schema['if'])) return undefined;
  const test = build.compile(schema['if']);
  const yes = isSchema(schema['then']) ? build.compile(schema['then']) : undefined;
  const no = isSchema(schema['else']) ? build.compile(schema['else']) : undefined;
  return (value, at, run, seen) => {
    const own = seen === undefined ? undefined : nothingSeen();
    const holds = test(value, undefined, quiet(run), own);
    if (holds) addSeen(seen, own);
    const next = holds ? yes : no;
    return next === undefined || next(value, at, run, seen);
  };
}
