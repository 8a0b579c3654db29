import type { JsonSchema } from '@kernel/protocol';
import type { Dialect, SchemaResource, Schema, SchemaIndex } from './schema-index.ts';
import { pointerToken } from '@kernel/internal';

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

export type IssueDetails = Omit<ValidationIssue, 'path' | 'received' | 'accepts'>;

/** A linked list that is only built while issues are collected. */
export interface InstancePath {
  /** Undefined for a member of the root. */
  readonly parent: InstancePath | undefined;
  readonly key: string | number;
  /** Undefined until an issue at or below it needs it. */
  pointer: string | undefined;
}

/** Tracked only where an `unevaluated…` keyword needs it. */
export interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

export interface ValidationContext {
  /** Undefined in the fast pass, which stops at the first failure. */
  readonly issues: ValidationIssue[] | undefined;
  readonly memo: Memo;
  /** Outermost first. Tracked only where a `$dynamicRef` needs it. */
  readonly scope: SchemaResource[];
}

/** Returns whether the value passes, and records issues if the context collects them. */
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
  /** The keys are the dynamic scope (`undefined` where nothing depends on it), then the schema and the value. Created when first needed. */
  results: Map<unknown, Map<Check, WeakMap<object, MemoizedResult>>> | undefined;
}

export interface MemoizedResult {
  readonly ok: boolean;
  /** Undefined if evaluated properties and items were not tracked. */
  readonly evaluated: Evaluated | undefined;
  /** Undefined if issues were not collected. */
  readonly issues: readonly ValidationIssue[] | undefined;
  readonly path: InstancePath | undefined;
}

export interface KeywordContext {
  readonly schema: JsonSchema;
  readonly resource: SchemaResource;
  readonly dialect: Dialect;
  readonly index: SchemaIndex;
  /** Whether any `unevaluated…` keyword needs it. */
  readonly tracksEvaluated: boolean;
  /** Whether any `$dynamicRef` needs it. */
  readonly tracksScope: boolean;
  /** The check of the schema `false`. */
  readonly never: Check;
  /** The check of the whole schema that has the keyword. */
  readonly self: Check;
  /** The same schema object gives the same check. */
  compile(schema: Schema): Check;
}

export function reportIssue(
  validation: ValidationContext,
  path: InstancePath | undefined,
  value: unknown,
  details: IssueDetails,
  accepts: (candidate: unknown) => boolean,
): false {
  validation.issues?.push(createIssue(path, value, details, accepts));
  return false;
}

export function createIssue(
  path: InstancePath | undefined,
  value: unknown,
  details: IssueDetails,
  accepts: (candidate: unknown) => boolean,
): ValidationIssue {
  return { path: toPointer(path), received: value, accepts, ...details };
}

/** Allocates nothing in the fast pass. */
export function childPath(
  validation: ValidationContext,
  parent: InstancePath | undefined,
  key: string | number,
): InstancePath | undefined {
  return validation.issues === undefined ? undefined : { parent, key, pointer: undefined };
}

export function passes(check: Check, value: unknown, validation: ValidationContext): boolean {
  return check(value, undefined, withoutIssues(validation), undefined);
}

export function withoutIssues(validation: ValidationContext): ValidationContext {
  if (validation.issues === undefined) return validation;
  return { issues: undefined, memo: validation.memo, scope: validation.scope };
}

/** Returns an empty list if the value passes. */
export function collectIssues(
  check: Check,
  value: unknown,
  path: InstancePath | undefined,
  validation: ValidationContext,
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const passed = check(value, path, { issues, memo: validation.memo, scope: validation.scope }, undefined);
  return passed ? [] : issues;
}

export function createEvaluated(): Evaluated {
  return { properties: new Set(), items: new Set() };
}

export function addEvaluated(target: Evaluated | undefined, source: Evaluated | undefined): void {
  if (target === undefined || source === undefined) return;
  for (const name of source.properties) target.properties.add(name);
  for (const index of source.items) target.items.add(index);
}

/** Each level is written once, however many issues are below it. */
function toPointer(path: InstancePath | undefined): string {
  if (path === undefined) return '';
  return (path.pointer ??= `${toPointer(path.parent)}/${pointerToken(path.key)}`);
}
