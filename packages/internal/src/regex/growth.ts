import { isExponential } from './ambiguity.ts';
import { compileLinear, type StepBudget } from './linear.ts';
import { parseRegex, type RegexNode } from './parse.ts';

/** How long a match by backtracking can take at worst: `2 ** doublings * length ** degree` steps. */
export interface RegexGrowth {
  readonly degree: number;
  readonly doublings: number;
  /** Whether a repetition contains something that varies: only then can the steps double with each character. */
  readonly isNested: boolean;
}

/** Returns how the steps of a match grow, if they do not grow exponentially. */
function growthOf(pattern: RegExp): RegexGrowth {
  const tree = parseRegex(pattern.source, pattern.flags);
  const growth = grow(tree);
  const [first] = tree.kind === 'sequence' ? tree.of : [];
  const isAnchored = first?.kind === 'assertion' && first.text === '^' && !first.flags.includes('m');
  return isAnchored ? growth : { ...growth, degree: growth.degree + 1 };
}

function grow(node: RegexNode): RegexGrowth {
  switch (node.kind) {
    case 'character':
      return { degree: 0, doublings: 0, isNested: false };
    case 'reference':
      return { degree: 1, doublings: 0, isNested: true };
    case 'assertion':
      return node.of === undefined ? { degree: 0, doublings: 0, isNested: false } : grow(node.of);
    case 'sequence':
    case 'choice': {
      const parts = node.of.map(grow);
      const sum = (read: (part: RegexGrowth) => number): number => parts.reduce((all, part) => all + read(part), 0);
      const isNested = parts.some((part) => part.isNested);
      if (node.kind === 'sequence')
        return { degree: sum(({ degree }) => degree), doublings: sum(({ doublings }) => doublings), isNested };
      return {
        degree: Math.max(...parts.map(({ degree }) => degree)),
        doublings: Math.max(...parts.map(({ doublings }) => doublings)) + Math.log2(parts.length),
        isNested,
      };
    }
    case 'repeat': {
      const { degree, doublings, isNested } = grow(node.of);
      const varies = degree > 0 || doublings > 0;
      // `[a-z]{1,64}` is a loop that ends early.
      const isEndless = node.max === Infinity || (!varies && node.max - node.min > 1);
      const copies = node.max === Infinity ? node.min + 1 : node.max;
      return {
        degree: copies * degree + (isEndless ? 1 : 0),
        doublings: copies * doublings + (isEndless ? 0 : Math.log2(node.max - node.min + 1)),
        isNested: isNested || (isEndless && varies),
      };
    }
    default:
      return node satisfies never;
  }
}

/** The steps that a match by backtracking may need at worst where they are not counted. */
const UNCOUNTED_STEPS = 20_000;

/**
 * Creates a search that no text makes slow: it returns the index of the first match, or -1. Where the text is short enough for the growth of the
 * pattern, it is the search of JavaScript, and otherwise one that takes time in proportion to the text and counts its steps. Throws a RangeError
 * when the steps are used up, or for a text that is too long for a back reference.
 */
export function createSearch(pattern: RegExp): (text: string, budget: StepBudget) => number {
  const growth = growthOf(pattern);
  let isSafe = growth.isNested ? undefined : true;
  let linear: ReturnType<typeof compileLinear> | 'none' | undefined;
  const stepsFor = (length: number): number => 2 ** growth.doublings * length ** growth.degree;
  const isShort = (length: number): boolean =>
    stepsFor(length) <= UNCOUNTED_STEPS || (growth.degree <= 1 && growth.doublings <= 4);
  return (text, budget) => {
    if (isShort(text.length) && (isSafe ??= isExponential(pattern) === false)) return text.search(pattern);
    linear ??= compileLinear(pattern) ?? 'none';
    if (linear !== 'none') return linear(text, budget);
    budget.left -= stepsFor(text.length);
    if (!(isSafe ??= isExponential(pattern) === false) || !(budget.left >= 0))
      throw new RangeError('The patterns need too many steps on this text.');
    return text.search(pattern);
  };
}
