import type { JsonSchema } from '@kernel/protocol';

/** A repeatable source of chance. */
export interface Chance {
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
}

/** Makes chance from a seed. */
export function createChance(seed: number): Chance {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, pick: (items) => items[below(items.length)] as never };
}

const NAMES = ['a', 'ab', 'abc', 'b"q', 'c\\d', 'é', 'line\nend', '__proto__', 'n'];
const TEXTS = ['', 'a', 'ab', 'x1', 'é"\\', '\n\t\u0001', '😀', 'hello world', '2026-01-02', 'A-12'];
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  3,
  10,
  99,
  100,
  12_345,
  1.5,
  -2.25,
  ...TEXTS,
  [],
  {},
  [1],
  { a: 1 },
  ['a', 'b'],
  { ab: 'x' },
];

/** A random schema of what a grammar can hold. */
export function randomSchema(chance: Chance, depth = 3): JsonSchema {
  const kind = chance.below(depth > 0 ? 14 : 7);
  switch (kind) {
    case 0:
      return { type: chance.pick(['string', 'boolean', 'null', 'integer', 'number']) };
    case 1:
      return { enum: [chance.pick(VALUES), chance.pick(TEXTS), chance.below(5)] };
    case 2:
      return { const: chance.pick(VALUES) };
    case 3: {
      const low = chance.below(300) - 150;
      const bounds = { minimum: low, maximum: low + chance.below(1200) };
      return {
        type: 'integer',
        ...chance.pick([bounds, { minimum: low }, { maximum: low }, { exclusiveMinimum: low, maximum: low + 20 }]),
      };
    }
    case 4: {
      const low = chance.below(4);
      return {
        type: 'string',
        ...chance.pick([{ minLength: low }, { maxLength: low }, { minLength: low, maxLength: low + 4 }]),
      };
    }
    case 5:
      return {
        type: 'string',
        pattern: chance.pick([
          '^[a-z]+$',
          'a',
          '^\\w*\\d$',
          '^(ab|x.)?$',
          '^[^a"]{0,3}$',
          String.raw`^\d{4}-\d\d-\d\d$`,
          '^a|b$',
          '\\s',
          '["\\\\]',
        ]),
      };
    case 6:
      return { type: ['string', 'null', 'integer'] };
    case 7:
      return { anyOf: [randomSchema(chance, depth - 1), randomSchema(chance, depth - 1)] };
    case 8: {
      const low = chance.below(3);
      return {
        type: 'array',
        items: randomSchema(chance, depth - 1),
        ...chance.pick([{}, { minItems: low }, { maxItems: low }, { minItems: low, maxItems: low + 2 }]),
      };
    }
    case 9: {
      const prefixItems = [randomSchema(chance, depth - 1), randomSchema(chance, 0)];
      return {
        type: 'array',
        prefixItems,
        items: chance.pick([false, true, { type: 'integer' }]),
        minItems: chance.below(4),
      };
    }
    case 10:
      return { allOf: [randomObject(chance, depth), randomObject(chance, depth)] };
    case 11:
      return {
        oneOf: [
          { type: 'object', properties: { n: { const: 1 } }, required: ['n'] },
          { type: 'object', properties: { n: { const: 2 }, a: { type: 'null' } }, required: ['n'] },
        ],
      };
    default:
      return randomObject(chance, depth);
  }
}

function randomObject(chance: Chance, depth: number): JsonSchema {
  const names = NAMES.filter(() => chance.below(3) === 0);
  const properties = Object.fromEntries(names.map((name) => [name, randomSchema(chance, depth - 1)]));
  const required = names.filter(() => chance.below(2) === 0);
  const rest = chance.pick([
    {},
    { additionalProperties: false },
    { additionalProperties: { type: 'integer' } },
    { additionalProperties: true },
  ]);
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), ...rest };
}

/** A value that aims at a schema; whether it hits is for the validator to say. Properties stand in declared order. */
export function aimAt(schema: unknown, chance: Chance, depth = 5): unknown {
  if (typeof schema !== 'object' || schema === null || depth < 0) return chance.pick(VALUES);
  const s = schema as Record<string, unknown> & { type?: unknown };
  const list = (key: string): readonly unknown[] => (Array.isArray(s[key]) ? s[key] : []);
  if ('const' in s) return s['const'];
  if ('enum' in s) return chance.pick(list('enum'));
  if ('anyOf' in s) return aimAt(chance.pick(list('anyOf')), chance, depth);
  if ('oneOf' in s) return aimAt(chance.pick(list('oneOf')), chance, depth);
  if ('allOf' in s) {
    const parts = list('allOf').map((part) => aimAt(part, chance, depth));
    if (!parts.every((part) => typeof part === 'object' && part !== null)) return parts[0];
    return Object.fromEntries(new Map(parts.flatMap((part) => Object.entries(part))));
  }
  switch (Array.isArray(s.type) ? chance.pick(s.type) : s.type) {
    case 'integer':
      return (
        Number(s['minimum'] ?? s['maximum'] ?? s['exclusiveMinimum'] ?? 0) +
        chance.below(40) -
        (s['minimum'] === undefined ? 20 : 0)
      );
    case 'number':
      return chance.pick([0, -1.5, 2e-9, 1e21, 3.25, 7]);
    case 'string':
      return chance.pick(TEXTS);
    case 'boolean':
      return chance.below(2) === 0;
    case 'null':
      return null;
    case 'array': {
      const first = list('prefixItems')
        .slice(0, chance.below(4))
        .map((item) => aimAt(item, chance, depth - 1));
      return [...first, ...Array.from({ length: chance.below(4) }, () => aimAt(s['items'], chance, depth - 1))];
    }
    case 'object': {
      const required = list('required');
      const members = Object.entries(s['properties'] ?? {}).filter(
        ([name]) => required.includes(name) || chance.below(2) === 0,
      );
      const more =
        chance.below(3) === 0
          ? [[chance.pick(['zz', 'aa', 'abcd', ...NAMES]), chance.pick([1, 'x', null])] as const]
          : [];
      const own = members.map(([name, value]) => [name, aimAt(value, chance, depth - 1)] as const);
      const names = new Set(Object.keys(s['properties'] ?? {}));
      return Object.fromEntries([...own, ...more.filter(([name]) => !names.has(name))]);
    }
    default:
      return chance.pick(VALUES);
  }
}

/** A value with one part changed. */
export function mutate(value: unknown, chance: Chance): unknown {
  if (typeof value !== 'object' || value === null || chance.below(4) === 0) return chance.pick(VALUES);
  if (Array.isArray(value)) {
    const at = chance.below(value.length + 1);
    if (chance.below(2) === 0) return [...value.slice(0, at), ...value.slice(at + 1)];
    return [...value.slice(0, at), mutate(value[at], chance), ...value.slice(at + 1)];
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return { a: chance.pick(VALUES) };
  const at = chance.below(entries.length);
  if (chance.below(3) === 0) return Object.fromEntries(entries.filter((_, place) => place !== at));
  return Object.fromEntries(entries.map(([name, item], place) => [name, place === at ? mutate(item, chance) : item]));
}

/** A text with one character gone, doubled or changed. */
export function scratch(text: string, chance: Chance): string {
  const at = chance.below(text.length);
  const other = chance.pick(['', `${text[at]}${text[at]}`, ',', '"', '}', ']', '0', ' ', '\n', '\\', '\u0002']);
  return text.slice(0, at) + other + text.slice(at + 1);
}
