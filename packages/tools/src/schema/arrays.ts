import { areUnique } from './equal.ts';
import { type Check, below, passes, refuse } from './check.ts';
import type { Build } from './keyword-context.ts';
import { isSchema } from './schema-index.ts';

/** The keywords on arrays: items by place and the rest, contains, counts, uniqueness. */
export function arrayChecks(build: Build): readonly Check[] {
  const { schema, dialect } = build;
  return [
    itemsCheck(build),
    containsCheck(build),
    ...(dialect.validation
      ? [
          countCheck('minItems', 'at least', schema['minItems'], (count, limit) => count >= limit),
          countCheck('maxItems', 'at most', schema['maxItems'], (count, limit) => count <= limit),
          schema['uniqueItems'] === true ? uniqueCheck : undefined,
        ]
      : []),
  ].filter((check) => check !== undefined);
}

function itemsCheck(build: Build): Check | undefined {
  const { schema } = build;
  // Draft-07 has the places in `items` itself; found under 2020-12 it can mean nothing else.
  const byPlace = Array.isArray(schema['items']) ? schema['items'] : schema['prefixItems'];
  const places: readonly unknown[] = Array.isArray(byPlace) ? byPlace : [];
  const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
  const prefix = places.filter((item) => isSchema(item)).map((item) => build.compile(item));
  const other = isSchema(rest) ? build.compile(rest) : undefined;
  if (prefix.length === 0 && other === undefined) return undefined;
  return (value, at, run, seen) => {
    if (!Array.isArray(value)) return true;
    let ok = true;
    const count = other === undefined ? Math.min(prefix.length, value.length) : value.length;
    for (let index = 0; index < count; index += 1) {
      const check = prefix[index] ?? other;
      seen?.items.add(index);
      if (check === undefined || check(value[index], below(run, at, index), run, undefined)) continue;
      if (run.faults === undefined) return false;
      ok = false;
    }
    return ok;
  };
}

function containsCheck(build: Build): Check | undefined {
  const { schema, dialect } = build;
  const wanted = schema['contains'];
  if (!isSchema(wanted)) return undefined;
  const check = build.compile(wanted);
  const counted = dialect.draft === '2020-12' && dialect.validation;
  const least = counted && typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
  const most = counted && typeof schema['maxContains'] === 'number' ? schema['maxContains'] : Infinity;
  const accepts = (value: unknown): boolean => Array.isArray(value) && value.length >= least;
  const expected = `at least ${least} matching item${least === 1 ? '' : 's'}${most === Infinity ? '' : ` and at most ${most}`}`;
  return (value, at, run, seen) => {
    if (!Array.isArray(value)) return true;
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (!passes(check, item, run)) continue;
      count += 1;
      if (dialect.draft === '2020-12') seen?.items.add(index);
    }
    return (count >= least && count <= most) || refuse(run, at, value, { keyword: 'contains', expected }, accepts);
  };
}

function countCheck(
  keyword: string,
  words: string,
  limit: unknown,
  holds: (count: number, limit: number) => boolean,
): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  const accepts = (value: unknown): boolean => !Array.isArray(value) || holds(value.length, limit);
  const facts = { keyword, expected: `${words} ${limit} item${limit === 1 ? '' : 's'}` };
  return (value, at, run) => accepts(value) || refuse(run, at, value, facts, accepts);
}

const acceptsUnique = (value: unknown): boolean => !Array.isArray(value) || areUnique(value);
const uniqueCheck: Check = (value, at, run) =>
  acceptsUnique(value) ||
  refuse(run, at, value, { keyword: 'uniqueItems', expected: 'items that all differ' }, acceptsUnique);
