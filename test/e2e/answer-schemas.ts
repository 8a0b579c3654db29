import * as z from 'zod';

/** A schema, what a model writes for it, and what the program gets. */
export interface AnswerCase {
  readonly name: string;
  readonly schema: z.ZodType;
  /** The JSON value as a model without a strict mode writes it. */
  readonly written: unknown;
  /** What the program gets; absent if it is what was written. */
  readonly expected?: unknown;
}

interface Tree {
  value: string;
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  value: z.string(),
  get children() {
    return z.array(tree);
  },
});
interface Linked {
  value: number;
  next: Linked | null;
}
const linked: z.ZodType<Linked> = z.object({
  value: z.number(),
  get next() {
    return z.union([linked, z.null()]);
  },
});
const address = z.object({ street: z.string(), city: z.string(), zip: z.string().optional() });
const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), radius: z.number() }),
  z.object({ kind: z.literal('square'), side: z.number() }),
]);
const leaf = { value: 'a', children: [{ value: 'b', children: [] }] };

/** Forty schemas: nested, unions, recursion, optionals, enums, dates. */
export const CASES: readonly AnswerCase[] = [
  { name: 'text', schema: z.object({ text: z.string() }), written: { text: 'hi "there"\n' } },
  { name: 'number', schema: z.object({ n: z.number() }), written: { n: -1.5e3 } },
  { name: 'integer', schema: z.object({ n: z.int() }), written: { n: 3 } },
  { name: 'boolean', schema: z.object({ ok: z.boolean() }), written: { ok: false } },
  { name: 'null', schema: z.object({ nothing: z.null() }), written: { nothing: null } },
  { name: 'enum', schema: z.object({ color: z.enum(['red', 'green']) }), written: { color: 'green' } },
  { name: 'literal', schema: z.object({ version: z.literal(2) }), written: { version: 2 } },
  { name: 'several literals', schema: z.object({ size: z.literal(['s', 'm', 'l']) }), written: { size: 'm' } },
  { name: 'optional, absent', schema: z.object({ a: z.string(), b: z.string().optional() }), written: { a: 'x' } },
  {
    name: 'optional, present',
    schema: z.object({ a: z.string(), b: z.string().optional() }),
    written: { a: 'x', b: 'y' },
  },
  { name: 'all optional', schema: z.object({ a: z.string().optional(), b: z.number().optional() }), written: {} },
  { name: 'nullable, null', schema: z.object({ a: z.string().nullable() }), written: { a: null } },
  {
    name: 'nullable and optional, null',
    schema: z.object({ a: z.string().nullable().optional() }),
    written: { a: null },
  },
  { name: 'default, absent', schema: z.object({ a: z.number().default(7) }), written: {}, expected: { a: 7 } },
  { name: 'default, present', schema: z.object({ a: z.number().default(7) }), written: { a: 1 } },
  { name: 'list of texts', schema: z.object({ tags: z.array(z.string()) }), written: { tags: ['a', 'b'] } },
  { name: 'empty list', schema: z.object({ tags: z.array(z.string()) }), written: { tags: [] } },
  { name: 'list with bounds', schema: z.object({ n: z.array(z.number()).min(1).max(3) }), written: { n: [1, 2] } },
  { name: 'list of lists', schema: z.object({ rows: z.array(z.array(z.number())) }), written: { rows: [[1], [2, 3]] } },
  {
    name: 'nested objects',
    schema: z.object({ person: z.object({ name: z.string(), address }) }),
    written: { person: { name: 'Ada', address: { street: 's', city: 'c' } } },
  },
  {
    name: 'list of objects',
    schema: z.object({ all: z.array(address) }),
    written: {
      all: [
        { street: 's', city: 'c' },
        { street: 't', city: 'd', zip: '1' },
      ],
    },
  },
  {
    name: 'optional object, absent',
    schema: z.object({ a: z.string(), address: address.optional() }),
    written: { a: 'x' },
  },
  {
    name: 'optional list, absent',
    schema: z.object({ a: z.string(), tags: z.array(z.string()).optional() }),
    written: { a: 'x' },
  },
  { name: 'union of types', schema: z.object({ v: z.union([z.string(), z.number()]) }), written: { v: 5 } },
  {
    name: 'union of objects',
    schema: z.object({ v: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]) }),
    written: { v: { b: 2 } },
  },
  { name: 'discriminated union', schema: z.object({ shape }), written: { shape: { kind: 'square', side: 2 } } },
  {
    name: 'list of a discriminated union',
    schema: z.object({ shapes: z.array(shape) }),
    written: {
      shapes: [
        { kind: 'circle', radius: 1 },
        { kind: 'square', side: 2 },
      ],
    },
  },
  { name: 'recursion', schema: tree, written: leaf },
  { name: 'recursion within', schema: z.object({ root: tree }), written: { root: leaf } },
  { name: 'recursion through null', schema: linked, written: { value: 1, next: { value: 2, next: null } } },
  { name: 'date', schema: z.object({ day: z.iso.date() }), written: { day: '2026-11-22' } },
  { name: 'date and time', schema: z.object({ at: z.iso.datetime() }), written: { at: '2026-11-22T10:00:00Z' } },
  {
    name: 'text to date',
    schema: z.object({ at: z.string().transform((text) => new Date(text)) }),
    written: { at: '2026-11-22' },
    expected: { at: new Date('2026-11-22') },
  },
  {
    name: 'formats and patterns',
    schema: z.object({ mail: z.email(), code: z.string().regex(/^[A-Z]{3}$/) }),
    written: { mail: 'a@example.com', code: 'ABC' },
  },
  {
    name: 'bounds',
    schema: z.object({ n: z.number().min(1).max(10), s: z.string().min(1).max(5) }),
    written: { n: 10, s: 'abc' },
  },
  {
    name: 'descriptions',
    schema: z.object({ a: z.string().describe('The first.').optional() }).describe('All of it.'),
    written: { a: 'x' },
  },
  {
    name: 'record',
    schema: z.object({ counts: z.record(z.string(), z.number()) }),
    written: { counts: { a: 1, b: 2 } },
  },
  { name: 'tuple', schema: z.object({ point: z.tuple([z.number(), z.number()]) }), written: { point: [1, 2] } },
  { name: 'a list at the root', schema: z.array(address), written: [{ street: 's', city: 'c' }] },
  { name: 'a union at the root', schema: shape, written: { kind: 'circle', radius: 3 } },
];
