import { canonicalJson } from '@kernel/internal';
import { type Check, type KeywordContext, childPath, passes, reportIssue } from './checks.ts';
import { isSchema } from './schema-index.ts';

export function arrayChecks(context: KeywordContext): readonly Check[] {
  const { schema, dialect } = context;
  return [
    itemsCheck(context),
    containsCheck(context),
    ...(dialect.validation
      ? [
          countCheck('minItems', 'at least', schema['minItems'], (count, limit) => count >= limit),
          countCheck('maxItems', 'at most', schema['maxItems'], (count, limit) => count <= limit),
          schema['uniqueItems'] === true ? uniqueCheck : undefined,
        ]
      : []),
  ].filter((check) => check !== undefined);
}

function itemsCheck(context: KeywordContext): Check | undefined {
  const { schema } = context;
  // Draft-07 lists the first items in `items` itself; in a 2020-12 schema such a list can mean nothing else.
  const byPosition = Array.isArray(schema['items']) ? schema['items'] : schema['prefixItems'];
  const first: readonly unknown[] = Array.isArray(byPosition) ? byPosition : [];
  const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
  const prefix = first.filter((item) => isSchema(item)).map((item) => context.compile(item));
  const other = isSchema(rest) ? context.compile(rest) : undefined;
  if (prefix.length === 0 && other === undefined) return undefined;
  return (value, path, validation, evaluated) => {
    if (!Array.isArray(value)) return true;
    let ok = true;
    const count = other === undefined ? Math.min(prefix.length, value.length) : value.length;
    for (let index = 0; index < count; index += 1) {
      const check = prefix[index] ?? other;
      evaluated?.items.add(index);
      if (check === undefined || check(value[index], childPath(validation, path, index), validation, undefined))
        continue;
      if (validation.issues === undefined) return false;
      ok = false;
    }
    return ok;
  };
}

function containsCheck(context: KeywordContext): Check | undefined {
  const { schema, dialect } = context;
  const wanted = schema['contains'];
  if (!isSchema(wanted)) return undefined;
  const check = context.compile(wanted);
  const counted = dialect.draft === '2020-12' && dialect.validation;
  const min = counted && typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
  const max = counted && typeof schema['maxContains'] === 'number' ? schema['maxContains'] : Infinity;
  const accepts = (value: unknown): boolean => Array.isArray(value) && value.length >= min;
  const expected = `at least ${min} matching item${min === 1 ? '' : 's'}${max === Infinity ? '' : ` and at most ${max}`}`;
  return (value, path, validation, evaluated) => {
    if (!Array.isArray(value)) return true;
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (!passes(check, item, validation)) continue;
      count += 1;
      if (dialect.draft === '2020-12') evaluated?.items.add(index);
    }
    return (
      (count >= min && count <= max) || reportIssue(validation, path, value, { keyword: 'contains', expected }, accepts)
    );
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
  const details = { keyword, expected: `${words} ${limit} item${limit === 1 ? '' : 's'}` };
  return (value, path, validation) => accepts(value) || reportIssue(validation, path, value, details, accepts);
}

const acceptsUnique = (value: unknown): boolean => !Array.isArray(value) || areUnique(value);
const uniqueCheck: Check = (value, path, validation) =>
  acceptsUnique(value) ||
  reportIssue(validation, path, value, { keyword: 'uniqueItems', expected: 'items that all differ' }, acceptsUnique);

/** Linear: equal items have equal canonical text. */
function areUnique(items: readonly unknown[]): boolean {
  if (items.length < 2) return true;
  const texts = new Set<string>();
  for (const item of items) {
    const text = canonicalJson(item);
    if (texts.has(text)) return false;
    texts.add(text);
  }
  return true;
}
