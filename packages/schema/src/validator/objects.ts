import { isObject } from '@kernel/internal';
import { type Check, type KeywordContext, type ValidationContext, childPath, passes, reportIssue } from './checks.ts';
import { createPatternTest } from './pattern.ts';
import { isSchema, isSchemaObject } from './schema-index.ts';

export function propertiesCheck(context: KeywordContext): Check | undefined {
  const { schema } = context;
  const named = new Map<string, Check>();
  for (const [name, child] of mapOf(schema['properties'])) if (isSchema(child)) named.set(name, context.compile(child));
  const patterns: { readonly matches: (name: string) => boolean; readonly check: Check }[] = [];
  for (const [source, child] of mapOf(schema['patternProperties'])) {
    if (isSchema(child)) patterns.push({ matches: createPatternTest(source), check: context.compile(child) });
  }
  const rest = schema['additionalProperties'];
  const other = isSchema(rest) ? context.compile(rest) : undefined;
  if (named.size === 0 && patterns.length === 0 && other === undefined) return undefined;
  if (patterns.length === 0 && (other === undefined || other === context.never) && !context.tracksEvaluated) {
    return namedPropertiesCheck(named, other !== undefined, context);
  }
  const knownProperties = [...named.keys()];
  return (value, path, validation, evaluated) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      let matched = false;
      const apply = (check: Check): void => {
        matched = true;
        if (ok || validation.issues !== undefined)
          ok = check(item, childPath(validation, path, key), validation, undefined) && ok;
      };
      const check = named.get(key);
      if (check !== undefined) apply(check);
      for (const entry of patterns) if (entry.matches(key)) apply(entry.check);
      if (!matched && other !== undefined) {
        if (other === context.never) {
          reportIssue(
            validation,
            path,
            value,
            { keyword: 'additionalProperties', expected: 'no other property', property: key, knownProperties },
            () => false,
          );
          ok = false;
        } else apply(other);
      }
      if (matched) evaluated?.properties.add(key);
      if (!ok && validation.issues === undefined) return false;
    }
    return ok;
  };
}

/** The common case. The fast pass reads what is there; issues come in the order of the schema. */
function namedPropertiesCheck(named: ReadonlyMap<string, Check>, closed: boolean, context: KeywordContext): Check {
  const names = [...named.keys()];
  return (value, path, validation) => {
    if (!isObject(value)) return true;
    if (validation.issues === undefined) return passesNamed(value, named, closed, validation);
    let ok = true;
    for (const [name, check] of named) {
      // A name that every object inherits counts only as an own property.
      const item = Object.hasOwn(value, name) ? value[name] : undefined;
      if (item !== undefined) ok = check(item, childPath(validation, path, name), validation, undefined) && ok;
    }
    if (!closed) return ok;
    for (const key in value) {
      if (named.has(key) || value[key] === undefined || !Object.hasOwn(value, key)) continue;
      const accepts = (candidate: unknown): boolean => passes(context.self, candidate, validation);
      ok = reportIssue(
        validation,
        path,
        value,
        { keyword: 'additionalProperties', expected: 'no other property', property: key, knownProperties: names },
        accepts,
      );
    }
    return ok;
  };
}

function passesNamed(
  value: { readonly [key: string]: unknown },
  named: ReadonlyMap<string, Check>,
  closed: boolean,
  validation: ValidationContext,
): boolean {
  for (const key in value) {
    const item = value[key];
    if (item === undefined || !Object.hasOwn(value, key)) continue;
    const check = named.get(key);
    if (check === undefined ? closed : !check(item, undefined, validation, undefined)) return false;
  }
  return true;
}

export function objectChecks(context: KeywordContext): readonly Check[] {
  const { schema, dialect } = context;
  const checks: Check[] = [];
  if (dialect.validation) {
    const required = namesIn(schema['required']);
    if (required.length > 0) checks.push(requiredCheck(required));
    const min = schema['minProperties'];
    if (typeof min === 'number') checks.push(countCheck('minProperties', 'at least', min, (count) => count >= min));
    const max = schema['maxProperties'];
    if (typeof max === 'number') checks.push(countCheck('maxProperties', 'at most', max, (count) => count <= max));
  }
  const names = schema['propertyNames'];
  if (isSchema(names)) checks.push(namesCheck(context.compile(names)));
  for (const keyword of ['dependencies', 'dependentRequired', 'dependentSchemas']) {
    for (const [name, needs] of mapOf(schema[keyword])) {
      if (Array.isArray(needs) && dialect.validation) checks.push(dependentCheck(name, namesIn(needs)));
      else if (isSchema(needs)) checks.push(dependentSchema(name, context.compile(needs)));
    }
  }
  return checks;
}

function requiredCheck(required: readonly string[]): Check {
  const inherited = required.map((name) => name in Object.prototype);
  return (value, path, validation) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (let index = 0; index < required.length; index += 1) {
      const name = required[index] ?? '';
      if (value[name] !== undefined && (inherited[index] !== true || Object.hasOwn(value, name))) continue;
      if (validation.issues === undefined) return false;
      ok = reportIssue(
        validation,
        path,
        value,
        { keyword: 'required', expected: `"${name}"`, property: name },
        () => false,
      );
    }
    return ok;
  };
}

function countCheck(keyword: string, words: string, limit: number, holds: (count: number) => boolean): Check {
  const accepts = (value: unknown): boolean => !isObject(value) || holds(Object.keys(value).length);
  const details = { keyword, expected: `${words} ${limit} properties` };
  return (value, path, validation) => accepts(value) || reportIssue(validation, path, value, details, accepts);
}

function namesCheck(check: Check): Check {
  return (value, path, validation) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const key of Object.keys(value)) {
      if (passes(check, key, validation)) continue;
      ok = reportIssue(
        validation,
        path,
        value,
        { keyword: 'propertyNames', expected: 'another property name', property: key },
        () => false,
      );
      if (validation.issues === undefined) return false;
    }
    return ok;
  };
}

function dependentCheck(name: string, needs: readonly string[]): Check {
  const required = requiredCheck(needs);
  return (value, path, validation) =>
    !isObject(value) || !Object.hasOwn(value, name) || required(value, path, validation, undefined);
}

function dependentSchema(name: string, check: Check): Check {
  return (value, path, validation, evaluated) =>
    !isObject(value) || !Object.hasOwn(value, name) || check(value, path, validation, evaluated);
}

function mapOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isSchemaObject(value) ? Object.entries(value) : [];
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
