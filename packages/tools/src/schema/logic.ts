import { type Check, type Fault, addSeen, faultsOf, nothingSeen, passes, quiet, refuse } from './check.ts';
import type { Build } from './build.ts';
import { isSchema } from './resource.ts';

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
        ...closest(
          'anyOf',
          checks.map((check) => faultsOf(check, value, at, run)),
          () => refusal(run, at, value, 'anyOf', accepts),
          accepts,
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
      ...closest(
        'oneOf',
        checks.map((check) => faultsOf(check, value, at, run)),
        () => refusal(run, at, value, 'oneOf', accepts),
        accepts,
      ),
    );
    return false;
  };
}

/** What to tell of a value that fits no branch: the types or values that would do, or the faults of the nearest branch. */
function closest(
  keyword: string,
  found: readonly (readonly Fault[])[],
  whole: () => Fault,
  accepts: (candidate: unknown) => boolean,
): readonly Fault[] {
  const flat = found.flat();
  const own = whole();
  const shallow = found.every((faults) =>
    faults.some((fault) => fault.path === own.path && (fault.types ?? fault.allowed) !== undefined),
  );
  if (shallow) {
    const types = [...new Set(flat.filter((fault) => fault.path === own.path).flatMap((fault) => fault.types ?? []))];
    const allowed = flat.filter((fault) => fault.path === own.path).flatMap((fault) => fault.allowed ?? []);
    const expected = allowed.length > 0 && types.length === 0 ? 'one of the allowed values' : types.join(' or ');
    return [
      {
        ...own,
        keyword,
        expected,
        accepts,
        ...(types.length > 0 ? { types } : {}),
        ...(allowed.length > 0 ? { allowed } : {}),
      },
    ];
  }
  // A branch whose fixed values fit is the one that was meant; then the one with the fewest faults.
  const score = (faults: readonly Fault[]): number =>
    faults.length +
    faults.filter((fault) => fault.keyword === 'const' || fault.keyword === 'enum').length * 1000 +
    faults.filter((fault) => fault.path === own.path && fault.keyword === 'type').length * 100_000;
  return found.toSorted((a, b) => score(a) - score(b))[0] ?? [own];
}

function refusal(
  run: Parameters<Check>[2],
  at: Parameters<Check>[1],
  value: unknown,
  keyword: string,
  accepts: (candidate: unknown) => boolean,
): Fault {
  const faults: Fault[] = [];
  refuse({ faults, scope: run.scope }, at, value, { keyword, expected: 'one of the described forms' }, accepts);
  const [fault] = faults;
  if (fault === undefined) throw new TypeError('refuse() records a fault');
  return fault;
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
