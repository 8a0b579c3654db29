import { type Check, below, isObject, passes, refuse } from './check.ts';
import type { Build } from './keyword-context.ts';
import { toTextTest } from './pattern.ts';
import { isSchema, isSchemaObject } from './schema-index.ts';

/** The keywords on objects that hold subschemas, as one check: properties, patternProperties, additionalProperties. */
export function propertiesCheck(build: Build): Check | undefined {
  const { schema } = build;
  const named = new Map<string, Check>();
  for (const [name, child] of mapOf(schema['properties'])) if (isSchema(child)) named.set(name, build.compile(child));
  const patterns: { readonly matches: (name: string) => boolean; readonly check: Check }[] = [];
  for (const [source, child] of mapOf(schema['patternProperties'])) {
    if (isSchema(child)) patterns.push({ matches: toTextTest(source), check: build.compile(child) });
  }
  const rest = schema['additionalProperties'];
  const other = isSchema(rest) ? build.compile(rest) : undefined;
  if (named.size === 0 && patterns.length === 0 && other === undefined) return undefined;
  if (patterns.length === 0 && (other === undefined || other === build.never) && !build.tracks) {
    return closedCheck(named, other !== undefined, build);
  }
  const known = [...named.keys()];
  return (value, at, run, seen) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      let matched = false;
      const apply = (check: Check): void => {
        matched = true;
        if (ok || run.faults !== undefined) ok = check(item, below(run, at, key), run, undefined) && ok;
      };
      const check = named.get(key);
      if (check !== undefined) apply(check);
      for (const entry of patterns) if (entry.matches(key)) apply(entry.check);
      if (!matched && other !== undefined) {
        if (other === build.never) {
          refuse(
            run,
            at,
            value,
            { keyword: 'additionalProperties', expected: 'no other property', property: key, known },
            () => false,
          );
          ok = false;
        } else apply(other);
      }
      if (matched) seen?.properties.add(key);
      if (!ok && run.faults === undefined) return false;
    }
    return ok;
  };
}

/** The common case, kept fast: named properties only, and nothing else or anything else allowed. */
function closedCheck(named: ReadonlyMap<string, Check>, closed: boolean, build: Build): Check {
  const names = [...named.keys()];
  const checks = [...named.values()];
  // A name that every object inherits is only there when it is the object's own.
  const inherited = names.map((name) => name in Object.prototype);
  return (value, at, run) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      if (inherited[index] === true && !Object.hasOwn(value, name)) continue;
      const item = value[name];
      if (item === undefined) continue;
      if (checks[index]?.(item, below(run, at, name), run, undefined) === false) {
        if (run.faults === undefined) return false;
        ok = false;
      }
    }
    if (!closed) return ok;
    for (const key in value) {
      if (named.has(key) || value[key] === undefined || !Object.hasOwn(value, key)) continue;
      if (run.faults === undefined) return false;
      const accepts = (candidate: unknown): boolean => passes(build.self, candidate, run);
      ok = refuse(
        run,
        at,
        value,
        { keyword: 'additionalProperties', expected: 'no other property', property: key, known: names },
        accepts,
      );
    }
    return ok;
  };
}

/** The assertions on an object's keys: required, counts, names, dependencies. */
export function objectChecks(build: Build): readonly Check[] {
  const { schema, dialect } = build;
  const checks: Check[] = [];
  if (dialect.validation) {
    const required = namesIn(schema['required']);
    if (required.length > 0) checks.push(requiredCheck(required));
    const least = schema['minProperties'];
    if (typeof least === 'number')
      checks.push(countCheck('minProperties', 'at least', least, (count) => count >= least));
    const most = schema['maxProperties'];
    if (typeof most === 'number') checks.push(countCheck('maxProperties', 'at most', most, (count) => count <= most));
  }
  const names = schema['propertyNames'];
  if (isSchema(names)) checks.push(namesCheck(build.compile(names)));
  for (const keyword of ['dependencies', 'dependentRequired', 'dependentSchemas']) {
    for (const [name, needs] of mapOf(schema[keyword])) {
      if (Array.isArray(needs) && dialect.validation) checks.push(dependentCheck(name, namesIn(needs)));
      else if (isSchema(needs)) checks.push(dependentSchema(name, build.compile(needs)));
    }
  }
  return checks;
}

function requiredCheck(required: readonly string[]): Check {
  const inherited = required.map((name) => name in Object.prototype);
  return (value, at, run) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (let index = 0; index < required.length; index += 1) {
      const name = required[index] ?? '';
      if (value[name] !== undefined && (inherited[index] !== true || Object.hasOwn(value, name))) continue;
      if (run.faults === undefined) return false;
      ok = refuse(run, at, value, { keyword: 'required', expected: `"${name}"`, property: name }, () => false);
    }
    return ok;
  };
}

function countCheck(keyword: string, words: string, limit: number, holds: (count: number) => boolean): Check {
  const accepts = (value: unknown): boolean => !isObject(value) || holds(Object.keys(value).length);
  const facts = { keyword, expected: `${words} ${limit} properties` };
  return (value, at, run) => accepts(value) || refuse(run, at, value, facts, accepts);
}

function namesCheck(check: Check): Check {
  return (value, at, run) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const key of Object.keys(value)) {
      if (passes(check, key, run)) continue;
      ok = refuse(
        run,
        at,
        value,
        { keyword: 'propertyNames', expected: 'another property name', property: key },
        () => false,
      );
      if (run.faults === undefined) return false;
    }
    return ok;
  };
}

function dependentCheck(name: string, needs: readonly string[]): Check {
  const required = requiredCheck(needs);
  return (value, at, run) => !isObject(value) || !Object.hasOwn(value, name) || required(value, at, run, undefined);
}

function dependentSchema(name: string, check: Check): Check {
  return (value, at, run, seen) => !isObject(value) || !Object.hasOwn(value, name) || check(value, at, run, seen);
}

function mapOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isSchemaObject(value) ? Object.entries(value) : [];
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
