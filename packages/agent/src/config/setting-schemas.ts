import type { JsonValue } from '@kernel/protocol';
import * as z from 'zod';
import { parseDuration } from './duration.ts';
import type { Setting, Settings, SettingTable } from './settings.ts';

export function expected(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => `expected ${what}, got ${describe(input)}`;
}

/** Describes a value by its kind. Text is not quoted: it may be a secret. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return typeof value === 'string' ? (value === '' ? 'empty text' : 'other text') : 'an object';
}

/** Any text, the empty one included. */
export const text = z.string({ error: expected('text') });

export function numberFrom(minimum: number): z.ZodNumber {
  const error = expected(`a number of at least ${minimum}`);
  return z.number({ error }).min(minimum, { error });
}

export function wholeNumberFrom(minimum: number): z.ZodInt {
  const error = expected(`a whole number of at least ${minimum}`);
  return z.int({ error }).min(minimum, { error });
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): z.ZodType<Choice> {
  return z.enum(choices, { error: expected(`one of ${choices.join(', ')}`) });
}

const durationMs = z.unknown().transform((value, context): number => {
  const ms = parseDuration(value);
  if (ms !== undefined) return ms;
  const message = expected('a duration such as "24s", "1m30s" or "500ms", or whole nanoseconds')({ input: value });
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

export const jsonObject = z.record(z.string(), z.custom<JsonValue>(), { error: expected('an object') });

/** An object with these settings; any other key is an issue, which becomes a warning. */
export function block<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? expected('an object')(issue) : undefined),
  });
}

/** The object without the keys whose value is undefined. */
export function present<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys and values are those of `fields`
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}

const KINDS = {
  text,
  'true or false': z.boolean({ error: expected('true or false') }),
  duration: durationMs,
  'whole from 0': wholeNumberFrom(0),
  'whole from 1': wholeNumberFrom(1),
  'number from 1': numberFrom(1),
} satisfies Readonly<Record<Setting['is'] & string, z.ZodType>>;

/** The schemas of settings, by their keys in a file. */
export function shapeOf(settings: SettingTable): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    Object.values(settings).map(({ key, is, default: otherwise }) => {
      const schema = typeof is === 'object' ? schemaOf(is) : KINDS[is];
      return [key, otherwise === undefined ? schema.optional() : schema.default(otherwise)];
    }),
  );
}

/** The schema of a block. */
export function schemaOf<T>(settings: Settings<T>): z.ZodType<T> {
  return block(shapeOf(settings)).transform((values) => fieldsOf(settings, values));
}

/** What a file says, by its keys, as fields; without those that are absent. */
export function fieldsOf<T>(settings: Settings<T>, values: Readonly<Record<string, unknown>>): T {
  const fields = Object.entries(settings).map(([field, { key }]) => [field, values[key]] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas of these settings have read the values
  return present(Object.fromEntries(fields)) as T;
}
