import { isExponential } from './ambiguity.ts';
import { compileBacktracking } from './backtracking.ts';
import { compileLinear, type StepBudget } from './linear.ts';
import { parseRegex, type RegexNode } from './parse.ts';

/** How long a match by backtracking can take at worst: `size * 2 ** doublings * length ** degree` steps. */
interface RegexGrowth {
  /** How many parts the pattern has when each counted copy is written out. */
  readonly size: number;
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

const SINGLE: RegexGrowth = { size: 1, degree: 0, doublings: 0, isNested: false };

function grow(node: RegexNode): RegexGrowth {
  switch (node.kind) {
    case 'character':
      return SINGLE;
    case 'reference':
      return { ...SINGLE, degree: 1, isNested: true };
    case 'assertion':
      return node.of === undefined ? SINGLE : grow(node.of);
    case 'sequence':
    case 'choice': {
      const parts = node.of.map(grow);
      const sum = (read: (part: RegexGrowth) => number): number => parts.reduce((all, part) => all + read(part), 0);
      const isNested = parts.some((part) => part.isNested);
      const size = sum((part) => part.size);
      if (node.kind === 'sequence')
        return { size, degree: sum(({ degree }) => degree), doublings: sum(({ doublings }) => doublings), isNested };
      return {
        size,
        degree: Math.max(...parts.map(({ degree }) => degree)),
        doublings: Math.max(...parts.map(({ doublings }) => doublings)) + Math.log2(parts.length),
        isNested,
      };
    }
    case 'repeat': {
      const { size, degree, doublings, isNested } = grow(node.of);
      const varies = degree > 0 || doublings > 0;
      // `[a-z]{1,64}` is a loop that ends early.
      const isEndless = node.max === Infinity || (!varies && node.max - node.min > 1);
      const copies = Math.min(node.max === Infinity ? node.min + 1 : node.max, Number.MAX_SAFE_INTEGER);
      return {
        size: size * (node.max === Infinity ? copies : Math.max(node.min, 1)),
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
/** The steps for each character at worst for which they are not counted. */
const UNCOUNTED_SIZE = 256;

/**
 * Creates a search that no text makes slow: it returns the index of the first match, or -1. Where the text is short
 * enough for the growth of the pattern, it is the search of JavaScript, and otherwise a search that counts its steps.
 * Throws a RangeError when the steps are used up, and a SyntaxError for a pattern that is not supported.
 */
export function createSearch(pattern: RegExp): (text: string, budget: StepBudget) => number {
  const { size, degree, doublings, isNested } = growthOf(pattern);
  let isSafe = isNested ? undefined : true;
  let counted: ReturnType<typeof compileLinear>;
  const ways = size * 2 ** doublings;
  const isShort = (length: number): boolean =>
    ways * length ** degree <= UNCOUNTED_STEPS || (degree <= 1 && ways <= UNCOUNTED_SIZE);
  return (text, budget) => {
    if (isShort(text.length) && (isSafe ??= isExponential(pattern) === false)) {
      try {
        return text.search(pattern);
      } catch (error) {
        // V8 keeps what it has to try again on a stack, which a long text fills.
        if (!(error instanceof RangeError)) throw error;
      }
    }
    counted ??= compileLinear(pattern) ?? compileBacktracking(pattern);
    return counted(text, budget);
  };
}
