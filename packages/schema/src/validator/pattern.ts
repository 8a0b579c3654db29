import { isExponential } from '../regex/ambiguity.ts';
import { createSearch } from '../regex/growth.ts';

/** Leaves the `u` flag out for a pattern that is not valid with it. Throws a SyntaxError. */
function compilePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/**
 * How many steps the matches of one call may take in total; after that, the value is too costly to check and is
 * rejected.
 */
const MAX_STEPS = 10_000_000;

/** Validation is synchronous, so one budget serves all calls, one after the other. */
const budget = { left: MAX_STEPS };

/** Gives the matches of the next call all their steps. */
export function resetMatchSteps(): void {
  budget.left = MAX_STEPS;
}

/**
 * Never hangs: throws a RangeError for a text that takes too many steps. Neither answer would be true, and a `not`
 * around the pattern would turn the wrong one into its opposite.
 */
export function createPatternTest(source: string): (text: string) => boolean {
  const search = createSearch(compilePattern(source));
  return (text) => {
    const isFull = budget.left === MAX_STEPS;
    try {
      return search(text, budget) !== -1;
    } finally {
      if (isFull && budget.left < MAX_STEPS) queueMicrotask(resetMatchSteps);
    }
  };
}

/**
 * Whether a pattern can read a text in so many ways that other validators hang on it: judged by its shape. Ours takes
 * time in proportion to the text for any pattern.
 */
export function isSlowPattern(source: string): boolean {
  return isExponential(compilePattern(source)) === true;
}
