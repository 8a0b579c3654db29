import type { Schema } from '@kernel/schema';
import type { Expression } from './expression.ts';
import type { Warn } from './warning.ts';

export interface Conversion {
  /** Whether white space between tokens is omitted. */
  readonly compact: boolean;
  /** Whether objects without `additionalProperties` accept no other properties. */
  readonly closed: boolean;
  /** Whether string formats are enforced. */
  readonly formats: boolean;
  /** Reports a keyword that the grammar does not represent exactly. */
  readonly warn: Warn;
  /** Converts the schema at a JSON pointer; all but the simplest get a rule of their own. */
  convert(schema: Schema, pointer: string): Expression;
  /** Gives an expression a rule of its own, and returns a reference to it. */
  define(expression: Expression): Expression;
}
