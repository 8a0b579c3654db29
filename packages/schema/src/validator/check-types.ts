import type { JsonSchema } from '@kernel/protocol';
import type { Dialect, SchemaResource, Schema, SchemaIndex } from './schema-index.ts';

/** One thing that is wrong with a value. */
export interface ValidationIssue {
  /** JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  /** The schema keyword that failed. */
  readonly keyword: string;
  /** What the schema expects, in a few words. */
  readonly expected: string;
  /** The value that failed. */
  readonly received: unknown;
  /** The accepted types, for `type`. */
  readonly types?: readonly string[];
  /** The accepted values, for `enum` and `const`. */
  readonly allowed?: readonly unknown[];
  /** The property in question, for `required`, `additionalProperties` and similar keywords. */
  readonly property?: string;
  /** The properties that the schema declares, for an unknown property that was rejected. */
  readonly knownProperties?: readonly string[];
  /** Whether another value at this path would be accepted. */
  accepts(candidate: unknown): boolean;
}

/** What an issue says beyond where it is. */
export type IssueDetails = Omit<ValidationIssue, 'path' | 'received' | 'accepts'>;

/** A position in a value, as a linked list that is only built while issues are collected. */
export interface InstancePath {
  /** The enclosing object or array; `undefined` for a member of the root. */
  readonly parent: InstancePath | undefined;
  /** The property name or index in the parent. */
  readonly key: string | number;
}

/** The properties and items of one value that schemas have evaluated. Tracked only where an `unevaluated…` keyword needs it. */
export interface Evaluated {
  /** Names of the evaluated properties. */
  readonly properties: Set<string>;
  /** Indexes of the evaluated items. */
  readonly items: Set<number>;
}

/** The state of one validation. */
export interface ValidationContext {
  /** The issues so far; `undefined` in the fast pass, which stops at the first failure. */
  readonly issues: ValidationIssue[] | undefined;
  /** Results so far, for schemas that are applied to the same value again. */
  readonly memo: Memo;
  /** The resources entered so far, outermost first. Tracked only where a `$dynamicRef` needs it. */
  readonly scope: SchemaResource[];
}

/** A compiled schema or keyword. Returns whether the value passes, and records issues if the context collects them. */
export type Check = (
  value: unknown,
  path: InstancePath | undefined,
  validation: ValidationContext,
  evaluated: Evaluated | undefined,
) => boolean;

/** Results of schemas that are reached by reference, kept for one validation. */
export interface Memo {
  /** How many references have been followed. */
  steps: number;
  /** By dynamic scope, for references that depend on it (`undefined` for others), then by schema and value. Created when first needed. */
  results: Map<unknown, Map<Check, WeakMap<object, MemoizedResult>>> | undefined;
}

/** The result of one schema for one value. */
export interface MemoizedResult {
  /** Whether the value passed. */
  readonly ok: boolean;
  /** What was evaluated; `undefined` if it was not tracked. */
  readonly evaluated: Evaluated | undefined;
  /** The issues; `undefined` if they were not collected. */
  readonly issues: readonly ValidationIssue[] | undefined;
  /** Where the value was found. */
  readonly path: InstancePath | undefined;
}

/** What compiling one keyword can use. */
export interface KeywordContext {
  /** The schema that has the keyword. */
  readonly schema: JsonSchema;
  /** The resource that the schema belongs to. */
  readonly resource: SchemaResource;
  /** The dialect of the resource. */
  readonly dialect: Dialect;
  /** Resolves references. */
  readonly index: SchemaIndex;
  /** Whether any `unevaluated…` keyword needs evaluated properties and items to be tracked. */
  readonly tracksEvaluated: boolean;
  /** Whether any `$dynamicRef` needs the dynamic scope to be tracked. */
  readonly tracksScope: boolean;
  /** The check of the schema `false`. */
  readonly never: Check;
  /** The check of the whole schema that has the keyword. */
  readonly self: Check;
  /** Compiles a subschema; the same schema object gives the same check. */
  compile(schema: Schema): Check;
}
