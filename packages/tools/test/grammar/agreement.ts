import type { JsonSchema } from '@kernel/protocol';
import { KernelError } from '@kernel/protocol';
import { compileSchema } from '@kernel/schema';
import { toGbnf } from '../../src/grammar/index.ts';
import { aimAt, createChance, mutate, randomSchema, scratch } from './random-schemas.ts';

/** What a run of the property came to. */
export interface Agreement {
  readonly schemas: number;
  readonly accepted: number;
  readonly refused: number;
  readonly faults: readonly string[];
}

/** Compares a matcher of grammars with the validator on random schemas: valid values in declared order are accepted, what the validator refuses is refused. */
export async function agreement(
  seeds: readonly number[],
  matcherOf: (grammar: string) => Promise<(text: string) => boolean> | ((text: string) => boolean),
): Promise<Agreement> {
  const faults: string[] = [];
  let [schemas, accepted, refused] = [0, 0, 0];
  for (const seed of seeds) {
    const chance = createChance(seed * 7919 + 1);
    const schema: JsonSchema = randomSchema(chance);
    let made: ReturnType<typeof toGbnf>;
    try {
      made = toGbnf(schema, { compact: seed % 2 === 0 });
    } catch (error) {
      if (KernelError.is(error, 'TOOL_SCHEMA_INVALID')) continue;
      throw error;
    }
    schemas += 1;
    const matches = await matcherOf(made.grammar);
    const { test } = compileSchema(schema);
    const weaker = made.warnings.some(({ effect }) => effect === 'weaker');
    const tell = (what: string, text: string): void =>
      void faults.push(`${what}: ${text}\n  schema ${JSON.stringify(schema)}\n${made.grammar}`);
    const values = Array.from({ length: 12 }, () => aimAt(schema, chance));
    for (const value of values) {
      const text = JSON.stringify(value);
      if (test(value) && ordered(value, schema)) {
        accepted += 1;
        if (!matches(text)) tell('refuses a valid value', text);
      }
      for (const other of [value, mutate(value, chance), mutate(value, chance)]) {
        if (test(other) || weaker) continue;
        refused += 1;
        if (matches(JSON.stringify(other))) tell('accepts what is refused', JSON.stringify(other));
      }
      const scratched = scratch(text, chance);
      if (!weaker && matches(scratched) && !passes(scratched, test)) tell('accepts what is refused', scratched);
    }
  }
  return { schemas, accepted, refused, faults };
}

/** Whether every object in a value has its keys in the order of every declaration in the schema: then it is in declared order, whichever applies. */
function ordered(value: unknown, schema: JsonSchema): boolean {
  const lists: (readonly string[])[] = [];
  const declared = (node: unknown): readonly string[] =>
    typeof node === 'object' && node !== null && 'properties' in node ? Object.keys(node.properties as object) : [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const parts = 'allOf' in node && Array.isArray(node.allOf) ? node.allOf : [];
    lists.push([...new Set([...declared(node), ...parts.flatMap(declared)])]);
    for (const child of parts.length > 0
      ? parts.flatMap((part) => Object.values((part as { properties?: object }).properties ?? {}))
      : Object.values(node))
      visit(child);
  };
  visit(schema);
  const fits = (item: unknown): boolean => {
    if (typeof item !== 'object' || item === null) return true;
    if (!Array.isArray(item)) {
      const keys = Object.keys(item);
      const places = lists.map((names) => keys.map((key) => (names.includes(key) ? names.indexOf(key) : names.length)));
      if (places.some((order) => order.some((place, at) => at > 0 && place < (order[at - 1] ?? 0)))) return false;
    }
    return Object.values(item).every(fits);
  };
  return fits(value);
}

function passes(text: string, test: (value: unknown) => boolean): boolean {
  try {
    return test(JSON.parse(text));
  } catch {
    return false;
  }
}
