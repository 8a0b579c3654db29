import { type Check, type Fault, type Place, type Seen, addSeen, nothingSeen } from './check.ts';

/** What one validation has found out about schemas that are referred to. */
export interface Known {
  steps: number;
  /** By the resources entered on the way, for references that depend on them; else by nothing. */
  answers: Map<unknown, Map<Check, WeakMap<object, Answer>>> | undefined;
}

/** What is known of one value and one schema. */
interface Answer {
  readonly ok: boolean;
  readonly seen: Seen | undefined;
  /** Absent where only the answer was asked for. */
  readonly faults: readonly Fault[] | undefined;
  readonly at: Place | undefined;
}

/** So many references are followed before answers are kept: ordinary values never pay for it. */
const FREE_STEPS = 500;
/** So many are followed where answers depend on the way there, and may be asked for on ever new ways. */
const MOST_STEPS = 20_000;
/** So many faults are handed on; nobody reads more. */
const MOST_FAULTS = 200;

/** Nothing found out yet. */
export function nothingKnown(): Known {
  return { steps: 0, answers: undefined };
}

/**
 * Follows a reference at most once for each value, so that recursion through a union takes no exponential time.
 *
 * With `dynamic` the answer depends on the way there: then the steps are counted as well, and too many of them throw a RangeError.
 */
export function remembered(check: Check, dynamic: boolean): Check {
  return (value, at, run, seen) => {
    const { known, faults } = run;
    known.steps += 1;
    if (known.steps < FREE_STEPS || typeof value !== 'object' || value === null) return check(value, at, run, seen);
    const answers = answersOf(known, check, dynamic ? run.scope : undefined);
    const before = answers.get(value);
    if (before !== undefined && (seen === undefined || before.seen !== undefined)) {
      if (before.ok || faults === undefined) {
        addSeen(seen, before.seen);
        return before.ok;
      }
      if (before.faults !== undefined && isSamePlace(before.at, at)) {
        handOn(before.faults, faults);
        return false;
      }
    }
    if (dynamic && known.steps > MOST_STEPS) throw new RangeError('The value needs too many steps to be checked.');
    const own = seen === undefined ? undefined : nothingSeen();
    const found: Fault[] | undefined = faults === undefined ? undefined : [];
    const ok = check(value, at, { ...run, faults: found }, own);
    answers.set(value, { ok, seen: own, faults: found, at });
    addSeen(seen, own);
    if (found !== undefined && faults !== undefined) handOn(found, faults);
    return ok;
  };
}

function answersOf(known: Known, check: Check, way: unknown): WeakMap<object, Answer> {
  known.answers ??= new Map();
  let here = known.answers.get(way);
  if (here === undefined) known.answers.set(way, (here = new Map()));
  let answers = here.get(check);
  if (answers === undefined) here.set(check, (answers = new WeakMap()));
  return answers;
}

function handOn(from: readonly Fault[], into: Fault[]): void {
  for (const fault of from) if (into.length < MOST_FAULTS) into.push(fault);
}

function isSamePlace(one: Place | undefined, other: Place | undefined): boolean {
  let [a, b] = [one, other];
  while (a !== b) {
    if (a === undefined || b === undefined || a.key !== b.key) return false;
    [a, b] = [a.parent, b.parent];
  }
  return true;
}
