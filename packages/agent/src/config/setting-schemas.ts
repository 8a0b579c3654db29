import type { JsonValue } from '@kernel/protocol';
import * as z from 'zod';
import { parseDuration } from './duration.ts';

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

export const flag = z.boolean({ error: expected('true or false') });

export function numberFrom(minimum: number): z.ZodNumber {
  const error = expected(`a number of at least ${minimum}`);
  return z.number({ error }).min(minimum, { error });
}

/** A number without a fraction, of at least `minimum`. */
export function wholeNumberFrom(minimum: number): z.ZodInt {
  const error = expected(`a whole number of at least ${minimum}`);
  return z.int({ error }).min(minimum, { error });
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): z.ZodType<Choice> {
  return z.enum(choices, { error: expected(`one of ${choices.join(', ')}`) });
}

/** A duration, in milliseconds. */
export const durationMs = z.unknown().transform((value, context): number => {
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
