import { node, nodeModule } from '@kernel/internal';
import { type PatternShape, patternShape } from './pattern-shape.ts';

/** Leaves the `u` flag out for a pattern that is not valid with it. Throws a SyntaxError. */
export function compilePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** How long the matches of one call may take in total; after that, the value is too costly to check and is rejected. */
const MATCH_BUDGET_MS = 100;
/** How many steps a match may need at worst and still run without an interruption. */
const SAFE_STEPS = 200_000;
/** The same while the time is measured: a few milliseconds at worst, and next to nothing for the texts that a pattern is for. */
const MEASURED_STEPS = 32_000_000;

/** Validation is synchronous, so one budget serves all calls, one after the other. */
const budget = { leftMs: MATCH_BUDGET_MS };

/** Gives the matches of the next call their full time. */
export function resetMatchTime(): void {
  budget.leftMs = MATCH_BUDGET_MS;
}

// Never hangs: throws a RangeError for a text that takes too long. Neither answer would be true, and a `not` around the pattern would turn the wrong
// one into its opposite.
export function createPatternTest(source: string): (text: string) => boolean {
  const pattern = compilePattern(source);
  const shape = patternShape(source);
  const safeLength = safeLengthOf(shape, SAFE_STEPS);
  const measuredLength = shape.nested ? safeLength : safeLengthOf(shape, MEASURED_STEPS);
  return (text) => {
    if (text.length <= safeLength) return pattern.test(text);
    if (budget.leftMs < 1) throw new RangeError('The patterns of the schema take too long on this value.');
    if (budget.leftMs === MATCH_BUDGET_MS) queueMicrotask(resetMatchTime);
    const started = performance.now();
    const matches =
      text.length <= measuredLength
        ? pattern.test(text)
        : matchWithTimeout({ pattern, texts: [text] }, Math.ceil(budget.leftMs))?.[0];
    budget.leftMs -= performance.now() - started;
    if (matches === undefined) throw new RangeError('A pattern of the schema takes too long on this value.');
    return matches;
  };
}

/** The length up to which a text certainly takes few steps. */
function safeLengthOf({ repetitions, optionals, nested }: PatternShape, maxSteps: number): number {
  if (nested) return Math.floor(Math.log(maxSteps) / Math.log(Math.max(2, repetitions + optionals)));
  const steps = maxSteps / 2 ** Math.min(optionals, 30);
  if (steps < 1) return 0;
  // One repetition reads a text once; each further one may start at every position.
  return repetitions < 2 ? Infinity : Math.floor(steps ** (1 / repetitions));
}

/** A pattern and the texts to match. */
export interface PatternMatchRequest {
  /** The compiled pattern. */
  readonly pattern: RegExp;
  /** The texts, in the order of the answers. */
  readonly texts: readonly string[];
}

/** How many times as long as its timeout a match may last that got almost no CPU time. */
const MAX_PATIENCE = 16;

/**
 * Returns which texts a pattern matches, or `undefined` if that takes longer than `timeoutMs` in total. A match that was interrupted after little
 * CPU time mostly waited for the processor, and is tried again with twice the time.
 */
export function matchWithTimeout(trial: PatternMatchRequest, timeoutMs: number): readonly boolean[] | undefined {
  shared ??= createMatcher() ?? matchUnlimited;
  for (let limitMs = timeoutMs; ; limitMs *= 2) {
    const before = userMs();
    const { matches } = shared([trial], limitMs);
    const waited = userMs() - before < timeoutMs / 2 && limitMs < MAX_PATIENCE * timeoutMs;
    if (matches !== undefined || !waited) return matches?.[0];
  }
}

/** Returns the CPU time of the process, or wall time if the runtime does not report it. */
export function userMs(): number {
  const used = node.process?.cpuUsage?.();
  return used === undefined ? performance.now() : used.user / 1000;
}

let shared: Matcher | undefined;

export interface Matched {
  /** For each trial, whether its texts match; undefined after a timeout. */
  readonly matches?: readonly (readonly boolean[])[];
  /** The index of the trial that was reached. */
  readonly reached: number;
}

export type Matcher = (trials: readonly PatternMatchRequest[], timeoutMs: number) => Matched;

const SCRIPT = `trials.map(({ source, flags, texts }, index) => {
  progress.reached = index;
  const pattern = new RegExp(source, flags);
  return texts.map((text) => pattern.test(text));
})`;

/** Only `node:vm` can interrupt a match. */
const matchUnlimited: Matcher = (trials) => ({
  matches: trials.map(({ pattern, texts }) => texts.map((text) => pattern.test(text))),
  reached: trials.length,
});

/** Its timeout interrupts a running match. `node:vm` is loaded only here. */
export function createMatcher(): Matcher | undefined {
  const globals: { trials?: unknown; progress: { reached: number } } = { progress: { reached: 0 } };
  const sandbox = createSandbox(globals);
  if (sandbox === undefined) return undefined;
  const { context, script } = sandbox;
  return (trials, timeoutMs) => {
    globals.progress = { reached: 0 };
    globals.trials = trials.map(({ pattern, texts }) => ({ source: pattern.source, flags: pattern.flags, texts }));
    try {
      const matches: unknown = script.runInContext(context, { timeout: timeoutMs });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script above returns nothing else
      return { matches: matches as readonly (readonly boolean[])[], reached: globals.progress.reached };
    } catch {
      return { reached: globals.progress.reached };
    } finally {
      globals.trials = undefined;
    }
  };
}

/** A runtime may have a `node:vm` in name only: it counts if it runs the script. */
function createSandbox(globals: { trials?: unknown }) {
  const vm = nodeModule('node:vm');
  if (vm === undefined) return undefined;
  try {
    const sandbox = { context: vm.createContext(globals), script: new vm.Script(SCRIPT) };
    globals.trials = [];
    sandbox.script.runInContext(sandbox.context);
    return sandbox;
  } catch {
    return undefined;
  }
}
