import { isObject } from '@kernel/internal';
import { type Check, type KeywordContext, childPath, reportIssue } from './checks.ts';
import { isSchema } from './schema-index.ts';

/** These checks run last, on what no other keyword of the schema has evaluated. */
export function unevaluatedChecks(context: KeywordContext): readonly Check[] {
  const checks: Check[] = [];
  const properties = context.schema['unevaluatedProperties'];
  if (isSchema(properties)) checks.push(unevaluatedProperties(context.compile(properties), context));
  const items = context.schema['unevaluatedItems'];
  if (isSchema(items)) checks.push(unevaluatedItems(context.compile(items)));
  return checks;
}

function unevaluatedProperties(check: Check, context: KeywordContext): Check {
  const { schema, never } = context;
  const named =
    typeof schema['properties'] === 'object' && schema['properties'] !== null ? Object.keys(schema['properties']) : [];
  return (value, path, validation, evaluated) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const key of Object.keys(value)) {
      if (evaluated?.properties.has(key) === true || value[key] === undefined) continue;
      if (check === never) {
        const details = {
          keyword: 'unevaluatedProperties',
          expected: 'no other property',
          property: key,
          knownProperties: [...new Set([...named, ...(evaluated?.properties ?? [])])],
        };
        ok = reportIssue(validation, path, value, details, () => false);
      } else ok = check(value[key], childPath(validation, path, key), validation, undefined) && ok;
      if (!ok && validation.issues === undefined) return false;
    }
    for (const key of Object.keys(value)) evaluated?.properties.add(key);
    return ok;
  };
}

function unevaluatedItems(check: Check): Check {
  return (value, path, validation, evaluated) => {
    if (!Array.isArray(value)) return true;
    let ok = true;
    for (const [index, item] of value.entries()) {
      if (evaluated?.items.has(index) === true) continue;
      ok = check(item, childPath(validation, path, index), validation, undefined) && ok;
      if (!ok && validation.issues === undefined) return false;
    }
    for (const index of value.keys()) evaluated?.items.add(index);
    return ok;
  };
}
