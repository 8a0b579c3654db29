import { type PatternShape, patternShape } from './pattern-shape.ts';
import { compilePattern, createMatcher, type Matcher, userMs } from './pattern.ts';

/** How much CPU time the patterns of one schema may take in total, and how long one trial may take. */
const TOTAL_BUDGET_MS = 120;
const TRIAL_TIMEOUT_MS = 40;
/** The timeout of a trial on a machine so busy that the trial got almost no CPU time. */
const MAX_TIMEOUT_MS = 16 * TRIAL_TIMEOUT_MS;
/** How often a sample is repeated: long enough to stop an exponential pattern, too short to slow down a polynomial one. */
const MAX_REPEATS = 32;
const REPEAT_STEP = 4;
const MANY_DOUBLINGS = 10;
/** How long a match must take before its growth is judged, and the ratio of `REPEAT_STEP` more repeats that counts as exponential. */
const MEASURABLE_MS = 6;
const EXPONENTIAL_RATIO = 5;

/**
 * Returns the first of some patterns whose matching time grows exponentially with the length of the text, measured on short texts made
 * of its own characters. Ratios of CPU time decide, so that other programs on the machine cannot change the answer.
 *
 * Tries only patterns with nested repetitions, and with many optional parts: no other kind grows like that. Takes at most about 200 ms of CPU time; a slow pattern that is missed
 * is still matched with a timeout.
 */
export function findSlowPattern(sources: readonly string[]): string | undefined {
  const suspects = [...new Set(sources)].flatMap((source) => {
    const shape = patternShape(source);
    const isSuspect = shape.nested || shape.doublings > MANY_DOUBLINGS;
    return isSuspect ? [{ source, pattern: compilePattern(source), shape }] : [];
  });
  if (suspects.length === 0) return undefined;
  const match = createMatcher();
  // A trial that cannot be interrupted could hang.
  if (match === undefined) return undefined;
  const started = userMs();
  const trials = suspects.flatMap(({ source, pattern, shape }) =>
    textMakers(shape).map((makeText) => ({ source, pattern, makeText, texts: [makeText(MAX_REPEATS)] })),
  );
  for (let from = 0; from < trials.length;) {
    const { matches, reached } = match(trials.slice(from), TRIAL_TIMEOUT_MS);
    const trial = matches === undefined ? trials[from + reached] : undefined;
    if (trial === undefined) return undefined;
    if (growsExponentially(trial.pattern, trial.makeText, match)) return trial.source;
    if (userMs() - started > TOTAL_BUDGET_MS) return undefined;
    from += reached + 1;
  }
  return undefined;
}

/** Whether the time of a match multiplies with each repeat, instead of growing by a power of their number. */
function growsExponentially(pattern: RegExp, makeText: (repeats: number) => string, match: Matcher): boolean {
  const timeOf = (repeats: number, timeoutMs = TRIAL_TIMEOUT_MS): number => {
    const before = userMs();
    const finished = match([{ pattern, texts: [makeText(repeats)] }], timeoutMs).matches !== undefined;
    const ms = userMs() - before;
    if (finished) return ms;
    // Interrupted after little CPU time, it mostly waited for the processor: it gets more time.
    const waited = ms < TRIAL_TIMEOUT_MS / 2 && timeoutMs < MAX_TIMEOUT_MS;
    return waited ? timeOf(repeats, timeoutMs * 2) : TRIAL_TIMEOUT_MS;
  };
  let shorter = timeOf(REPEAT_STEP);
  if (shorter >= TRIAL_TIMEOUT_MS) return true;
  for (let repeats = 2 * REPEAT_STEP; repeats <= MAX_REPEATS; repeats += REPEAT_STEP) {
    const time = timeOf(repeats);
    if (time >= MEASURABLE_MS) {
      const floor = Math.max(Math.min(shorter, timeOf(repeats - REPEAT_STEP)), 0.05);
      return time / floor > EXPONENTIAL_RATIO;
    }
    shorter = time;
  }
  return false;
}

/** Makers of texts on which an ambiguous pattern backtracks: repeats of its own characters with an end that cannot match. */
function textMakers({ samples, prefix }: PatternShape): readonly ((repeats: number) => string)[] {
  const starts = prefix === '' ? [''] : ['', prefix];
  return starts.flatMap((start) =>
    samples.flatMap((sample) =>
      ['\u0000', '!\n'].map((end) => (repeats: number) => `${start}${sample.repeat(repeats)}${end}`),
    ),
  );
}
