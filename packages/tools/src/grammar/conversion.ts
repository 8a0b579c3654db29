import type { JsonSchema } from '@kernel/protocol';
import type { Schema } from '@kernel/schema';
import type { Expression } from './expression.ts';

/** A keyword that a grammar does not represent exactly. */
export interface GrammarWarning {
  /** JSON pointer to the keyword's schema. */
  readonly path: string;
  /** The keyword. */
  readonly keyword: string;
  /** `weaker`: the grammar accepts more than the schema. `stronger`: it accepts less. */
  readonly effect: 'weaker' | 'stronger';
  /** The tool, in a grammar of tools. */
  readonly tool?: string;
}

/** Reports a warning. Equal ones are reported once. */
export type Warn = (path: string, keyword: string, effect: GrammarWarning['effect']) => void;

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

/** Servers reject grammars with more repetitions. */
const MAX_COUNT = 1_000;

/** Returns the value of a count keyword. Ignores one that is too large for a grammar, with a warning. */
export function countOf(schema: JsonSchema, keyword: string, pointer: string, warn: Warn): number | undefined {
  const count = schema[keyword];
  if (typeof count !== 'number') return undefined;
  if (count <= MAX_COUNT) return count;
  warn(pointer, keyword, 'weaker');
  return undefined;
}
