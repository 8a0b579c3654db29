import { type PatternShape, shapeOf } from './pattern-shape.ts';

/** Compiles a schema's pattern as ECMA-262 with Unicode; one that is only legal without Unicode is read without. Throws a SyntaxError. */
export function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** How long the long matches of one call may take in all; past that, a text counts as not matching. */
const MATCH_MS = 100;
/** How many steps a match may need at worst and still run without a clock. */
const FREE_STEPS = 200_000;

/** Returns a test for a schema's pattern that never hangs: a text that takes too long does not match. Throws a SyntaxError. */
export function toTextTest(source: string): (text: string) => boolean {
  const pattern = toPattern(source);
  const free = freeLength(shapeOf(source));
  return (text) => {
    if (text.length <= free) return pattern.test(text);
    if (clock.left < 1) return false;
    if (clock.left === MATCH_MS) queueMicrotask(resetMatchClock);
    const started = performance.now();
    const matches = matchWithin({ pattern, texts: [text] }, Math.ceil(clock.left))?.[0] === true;
    clock.left -= performance.now() - started;
    return matches;
  };
}

/** Validation is synchronous, so that one clock serves all calls, one after the other. */
const clock = { left: MATCH_MS };

/** Gives the matches of the next call their full time. */
export function resetMatchClock(): void {
  clock.left = MATCH_MS;
}

/** Up to which length of a text the steps of a match are surely few. */
function freeLength({ repetitions, maybes, nested }: PatternShape): number {
  if (nested) return Math.floor(Math.log(FREE_STEPS) / Math.log(Math.max(2, repetitions + maybes)));
  const steps = FREE_STEPS / 2 ** Math.min(maybes, 30);
  if (steps < 1) return 0;
  // One repetition reads a text once; each further one may start at every place.
  return repetitions < 2 ? Infinity : Math.floor(steps ** (1 / repetitions));
}

/** How long the patterns of a schema may be tried in all, and in one go. */
const BUDGET_MS = 120;
const GO_MS = 40;
/** How often a unit is repeated: an exponential pattern is lost there, one that is polynomial has hardly begun. */
const LONGEST = 32;
const STEP = 4;
const MANY_MAYBES = 10;

/**
 * Returns the first of some patterns whose time grows exponentially with the text, found by how its time grows on short texts made from
 * its own characters. What other programs do on the machine has no say: the ratios decide, in processor time.
 *
 * Only a repetition within a repetition can grow so, and only those are tried. Ends within about 200 ms; whatever slips through is
 * still matched within a limit.
 */
export function findSlowPattern(sources: readonly string[]): string | undefined {
  const risky = [...new Set(sources)].flatMap((source) => {
    const shape = shapeOf(source);
    return shape.nested || shape.maybes > MANY_MAYBES ? [{ source, pattern: toPattern(source), shape }] : [];
  });
  if (risky.length === 0) return undefined;
  const end = performance.now() + BUDGET_MS;
  const run = createMatcher();
  const trials = risky.flatMap(({ source, pattern, shape }) =>
    textMakers(shape).map((make) => ({ source, pattern, make, texts: [make(LONGEST)] })),
  );
  for (let from = 0; from < trials.length;) {
    const stuck = run(trials.slice(from), GO_MS);
    const trial = stuck.found === undefined ? trials[from + stuck.at] : undefined;
    if (trial === undefined) return undefined;
    if (growsWild(trial.pattern, trial.make, run)) return trial.source;
    if (performance.now() > end) return undefined;
    from += stuck.at + 1;
  }
  return undefined;
}

/** A pattern and the texts to try it on. */
export interface Trial {
  readonly pattern: RegExp;
  readonly texts: readonly string[];
}

/** Says which texts a pattern matches, or returns `undefined` when that takes longer than `limitMs` in all. Never hangs. */
export function matchWithin(trial: Trial, limitMs: number): readonly boolean[] | undefined {
  shared ??= createMatcher();
  return shared([trial], limitMs).found?.[0];
}

let shared: Matcher | undefined;

/** What matching came to: the answers, or which trial was stuck. */
interface Matched {
  readonly found?: readonly (readonly boolean[])[];
  readonly at: number;
}

type Matcher = (trials: readonly Trial[], limitMs: number) => Matched;

const MATCH = `trials.map(({ source, flags, texts }, index) => {
  progress.at = index;
  const pattern = new RegExp(source, flags);
  return texts.map((text) => pattern.test(text));
})`;

/** Creates a matcher within a time limit, which does interrupt a running match. Node's module is loaded only here. */
function createMatcher(): Matcher {
  const vm = process.getBuiltinModule('node:vm');
  const room: { trials?: unknown; progress: { at: number } } = { progress: { at: 0 } };
  const context = vm.createContext(room);
  const script = new vm.Script(MATCH);
  return (trials, limitMs) => {
    room.progress = { at: 0 };
    room.trials = trials.map(({ pattern, texts }) => ({ source: pattern.source, flags: pattern.flags, texts }));
    try {
      const found: unknown = script.runInContext(context, { timeout: limitMs });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script above makes nothing else
      return { found: found as readonly (readonly boolean[])[], at: room.progress.at };
    } catch {
      return { at: room.progress.at };
    } finally {
      room.trials = undefined;
    }
  };
}

/** How long a match must take before its growth is judged, and by how much `STEP` more repetitions may make it longer. */
const TELLING_MS = 6;
const WILD = 5;

/** Whether the time of a match multiplies with each repetition instead of growing by a power of their number. */
function growsWild(pattern: RegExp, make: (times: number) => string, run: Matcher): boolean {
  const timeOf = (times: number): number => {
    const before = process.cpuUsage();
    const done = run([{ pattern, texts: [make(times)] }], GO_MS).found !== undefined;
    const { user } = process.cpuUsage(before);
    // Stopped without much work of its own, it only waited for the processor.
    return done || user / 1000 < GO_MS / 2 ? user / 1000 : GO_MS;
  };
  let shorter = timeOf(STEP);
  if (shorter >= GO_MS) return true;
  for (let times = 2 * STEP; times <= LONGEST; times += STEP) {
    const time = timeOf(times);
    if (time >= TELLING_MS) return time / Math.max(Math.min(shorter, timeOf(times - STEP)), 0.05) > WILD;
    shorter = time;
  }
  return false;
}

/** Texts that make an ambiguous pattern try every way to read them: runs of its own characters with an end that cannot match. */
function textMakers({ units, prefix }: PatternShape): readonly ((times: number) => string)[] {
  const starts = prefix === '' ? [''] : ['', prefix];
  return starts.flatMap((start) =>
    units.flatMap((unit) => ['\u0000', '!\n'].map((end) => (times: number) => `${start}${unit.repeat(times)}${end}`)),
  );
}
