import type { Known } from './memoize.ts';
import type { Resource } from './schema-index.ts';

/** One place in a value, as a list that is only built while faults are collected. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/** One thing that is wrong with a value. */
export interface Fault {
  /** JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  /** The schema keyword that refused. */
  readonly keyword: string;
  /** What the schema wants, in a few words. */
  readonly expected: string;
  /** The value that was refused. */
  readonly received: unknown;
  /** The types that would do, for `type`. */
  readonly types?: readonly string[];
  /** The values that would do, for `enum` and `const`. */
  readonly allowed?: readonly unknown[];
  /** The property in question, for `required`, `additionalProperties` and the like. */
  readonly property?: string;
  /** The properties that the schema names, where an unknown one was refused. */
  readonly known?: readonly string[];
  /** Says whether another value in this place would be accepted. */
  accepts(candidate: unknown): boolean;
}

/** Which properties and items of one value some schema has looked at. Kept only where `unevaluated…` asks for it. */
export interface Seen {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** What travels through one validation. */
export interface Run {
  /** Absent in the quick pass, which stops at the first fault. */
  readonly faults: Fault[] | undefined;
  /** What this validation has found out so far, for schemas that are met again on the same value. */
  readonly known: Known;
  /** The resources entered so far, outermost first; kept only where `$dynamicRef` asks for it. */
  readonly scope: Resource[];
}

/** A compiled schema or keyword. Answers whether the value passes, and records faults when the run collects them. */
export type Check = (value: unknown, at: Place | undefined, run: Run, seen: Seen | undefined) => boolean;

/** What a fault is made from beside its place. */
export type FaultFacts = Omit<Fault, 'path' | 'received' | 'accepts'>;

/** Records a fault when the run collects them, and answers false. */
export function refuse(
  run: Run,
  at: Place | undefined,
  value: unknown,
  facts: FaultFacts,
  accepts: (candidate: unknown) => boolean,
): false {
  run.faults?.push(faultAt(at, value, facts, accepts));
  return false;
}

/** Makes a fault of a value in a place. */
export function faultAt(
  at: Place | undefined,
  value: unknown,
  facts: FaultFacts,
  accepts: (candidate: unknown) => boolean,
): Fault {
  return { path: pointer(at), received: value, accepts, ...facts };
}

/** One step down; costs nothing in the quick pass. */
export function below(run: Run, parent: Place | undefined, key: string | number): Place | undefined {
  return run.faults === undefined ? undefined : { parent, key };
}

/** Runs a check as a question: nothing is recorded. */
export function passes(check: Check, value: unknown, run: Run): boolean {
  return check(value, undefined, quiet(run), undefined);
}

/** The same run without recording. */
export function quiet(run: Run): Run {
  return run.faults === undefined ? run : { faults: undefined, known: run.known, scope: run.scope };
}

/** Returns what a check finds wrong, without recording it in the run; empty when the value passes. */
export function faultsOf(check: Check, value: unknown, at: Place | undefined, run: Run): readonly Fault[] {
  const faults: Fault[] = [];
  return check(value, at, { faults, known: run.known, scope: run.scope }, undefined) ? [] : faults;
}

/** A fresh record of what was looked at. */
export function nothingSeen(): Seen {
  return { properties: new Set(), items: new Set() };
}

/** Adds what one schema has looked at to what its parent has. */
export function addSeen(into: Seen | undefined, from: Seen | undefined): void {
  if (into === undefined || from === undefined) return;
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

function pointer(at: Place | undefined): string {
  let text = '';
  for (let place = at; place !== undefined; place = place.parent) text = `/${escapeToken(place.key)}${text}`;
  return text;
}

/** One token of a JSON pointer. */
export function escapeToken(key: string | number): string {
  if (typeof key === 'number' || !/[~/]/.test(key)) return `${key}`;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A plain object, as JSON has it. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
