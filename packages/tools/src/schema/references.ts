import type { Check, Run } from './check.ts';
import type { Build } from './keyword-context.ts';
import { remembered } from './memoize.ts';
import type { Resource } from './schema-index.ts';

/** `$ref` and `$dynamicRef`. A reference that leads nowhere accepts nothing; schemas of tools are checked for those before. */
export function referenceChecks(build: Build): readonly Check[] {
  const { schema, resource, index } = build;
  const checks: Check[] = [];
  if (typeof schema['$ref'] === 'string') {
    const target = index.resolve(schema['$ref'], resource);
    checks.push(
      target === undefined
        ? build.never
        : remembered(entering(build.compile(target.schema), target.resource, build.dynamic), build.dynamic),
    );
  }
  if (typeof schema['$dynamicRef'] === 'string' && build.dialect.draft === '2020-12') {
    const target = index.resolve(schema['$dynamicRef'], resource);
    if (target === undefined) return [...checks, build.never];
    const name = target.dynamicName;
    const initial = entering(build.compile(target.schema), target.resource, build.dynamic);
    checks.push(remembered(name === undefined ? initial : dynamicCheck(name, initial, build), true));
  }
  return checks;
}

function dynamicCheck(name: string, initial: Check, build: Build): Check {
  return (value, at, run, seen) => {
    for (const resource of run.scope) {
      const found = resource.dynamicAnchors.get(name);
      if (found !== undefined) return entering(build.compile(found), resource, build.dynamic)(value, at, run, seen);
    }
    return initial(value, at, run, seen);
  };
}

/** Runs a check inside another resource, so that dynamic references see where they came from. */
export function entering(check: Check, resource: Resource, dynamic: boolean): Check {
  if (!dynamic) return check;
  return (value, at, run, seen) => {
    // The outermost counts: one that is already there changes nothing.
    if (run.scope.includes(resource)) return check(value, at, run, seen);
    const inner: Run = { faults: run.faults, known: run.known, scope: [...run.scope, resource] };
    return check(value, at, inner, seen);
  };
}
