import { type Check, below, isObject, refuse } from './check.ts';
import type { Build } from './keyword-context.ts';
import { isSchema } from './schema-index.ts';

/** `unevaluatedProperties` and `unevaluatedItems`: they run last, on what no other keyword of the schema has looked at. */
export function unevaluatedChecks(build: Build): readonly Check[] {
  const checks: Check[] = [];
  const properties = build.schema['unevaluatedProperties'];
  if (isSchema(properties)) checks.push(restOfProperties(build.compile(properties), build));
  const items = build.schema['unevaluatedItems'];
  if (isSchema(items)) checks.push(restOfItems(build.compile(items)));
  return checks;
}

function restOfProperties(check: Check, build: Build): Check {
  const { schema, never } = build;
  const named =
    typeof schema['properties'] === 'object' && schema['properties'] !== null ? Object.keys(schema['properties']) : [];
  return (value, at, run, seen) => {
    if (!isObject(value)) return true;
    let ok = true;
    for (const key of Object.keys(value)) {
      if (seen?.properties.has(key) === true || value[key] === undefined) continue;
      if (check === never) {
        const facts = {
          keyword: 'unevaluatedProperties',
          expected: 'no other property',
          property: key,
          known: [...new Set([...named, ...(seen?.properties ?? [])])],
        };
        ok = refuse(run, at, value, facts, () => false);
      } else ok = check(value[key], below(run, at, key), run, undefined) && ok;
      if (!ok && run.faults === undefined) return false;
    }
    for (const key of Object.keys(value)) seen?.properties.add(key);
    return ok;
  };
}

function restOfItems(check: Check): Check {
  return (value, at, run, seen) => {
    if (!Array.isArray(value)) return true;
    let ok = true;
    for (const [index, item] of value.entries()) {
      if (seen?.items.has(index) === true) continue;
      ok = check(item, below(run, at, index), run, undefined) && ok;
      if (!ok && run.faults === undefined) return false;
    }
    for (const index of value.keys()) seen?.items.add(index);
    return ok;
  };
}
