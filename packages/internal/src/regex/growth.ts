import { compileLinear, MATCH, programOf, type RegexProgram, type StepBudget } from './linear.ts';
import { parseRegex, type RegexNode } from './parse.ts';

/** How long a match by backtracking can take at worst: `2 ** doublings * length ** degree` steps. */
export interface RegexGrowth {
  readonly degree: number;
  readonly doublings: number;
  /** Whether a repetition contains something that varies: only then can the steps double with each character. */
  readonly isNested: boolean;
}

/** Returns how the steps of a match grow, if they do not grow exponentially. */
export function growthOf(pattern: RegExp): RegexGrowth {
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

/** The steps that an analysis may take; what takes more is not said to be exponential. */
const MAX_ANALYSIS = 300_000;
const PALETTE = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from('éßжДÀ中あ｜▁×…\u00A0\u2028\uFEFF\u0301\u{1F600}'),
];

/**
 * Whether backtracking can take exponential time: within a loop, one text can be read in two ways that meet again, and what follows can still fail. Exact for
 * an automaton without look-arounds, which are taken to hold; a back reference is taken for any text. Undefined if the pattern is too large to say.
 */
export function isExponential(pattern: RegExp): boolean | undefined {
  if (!growthOf(pattern).isNested) return false;
  const tree = withoutReferences(parseRegex(pattern.source, pattern.flags), pattern.flags);
  const budget = { left: MAX_ANALYSIS };
  const samples = samplesOf(pattern.source);
  let isKnown = true;
  for (const body of bodiesOf(tree)) {
    const program = programOf(body, false);
    if (program === undefined) isKnown = false;
    else if (isAmbiguous(program, samples, budget)) return true;
  }
  return isKnown && budget.left > 0 ? false : undefined;
}

/** The whole, and each look-around in it. */
function bodiesOf(node: RegexNode): readonly RegexNode[] {
  const inner = (part: RegexNode): readonly RegexNode[] => {
    if (part.kind === 'sequence' || part.kind === 'choice') return part.of.flatMap(inner);
    if (part.kind === 'repeat') return inner(part.of);
    return part.kind === 'assertion' && part.of !== undefined ? [part.of, ...inner(part.of)] : [];
  };
  return [node, ...inner(node)];
}

function withoutReferences(node: RegexNode, flags: string): RegexNode {
  const anything: RegexNode = { kind: 'character', text: String.raw`[\s\S]`, flags: flags.replaceAll(/[gyd]/g, '') };
  switch (node.kind) {
    case 'reference':
      return { kind: 'repeat', of: anything, min: 0, max: Infinity };
    case 'sequence':
    case 'choice':
      return { ...node, of: node.of.map((part) => withoutReferences(part, flags)) };
    case 'repeat':
      return { ...node, of: withoutReferences(node.of, flags) };
    default:
      return node;
  }
}

/** Characters that tell the classes of an expression apart: of two ranges that overlap, one contains an end of the other. */
function samplesOf(source: string): readonly string[] {
  const codes = [...source.matchAll(/\\(?:u\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2}))/g)];
  const named = codes.map(([, ...hex]) => Number.parseInt(hex.find((each) => each !== undefined) ?? '0', 16));
  return [
    ...new Set([
      ...PALETTE,
      ...Array.from(source),
      ...named.flatMap((code) => (code <= 0x10_ffff ? [String.fromCodePoint(code)] : [])),
    ]),
  ];
}

/** The states that read a character, and for each those that read the next one: as often as paths lead there. */
interface Graph {
  readonly next: ReadonlyMap<number, readonly number[]>;
  /** The states after which the match may be over. */
  readonly last: ReadonlySet<number>;
}

function isAmbiguous(program: RegexProgram, samples: readonly string[], budget: StepBudget): boolean {
  const classes = new Map<RegExp, ReadonlySet<string>>();
  const classOf = (id: number): ReadonlySet<string> => {
    const single = program.states[id]?.character;
    if (single === undefined) return new Set();
    const known = classes.get(single) ?? new Set(samples.filter((each) => single.test(each)));
    classes.set(single, known);
    return known;
  };
  const overlaps = (one: number, other: number): boolean => [...classOf(one)].some((each) => classOf(other).has(each));
  const graph = graphOf(program, classOf, budget);
  for (const loop of loopsOf(graph, budget)) {
    if ([...loop].every((id) => graph.last.has(id))) continue;
    const within = (id: number): readonly number[] => (graph.next.get(id) ?? []).filter((each) => loop.has(each));
    const pairs: (readonly [number, number])[] = [...loop].map((id) => [id, id] as const);
    const known = new Set<string>();
    for (const [one, other] of pairs) {
      const [from, to] = [within(one), within(other)];
      if (new Set(from).size < from.length) return true;
      for (const a of from)
        for (const b of to) {
          budget.left -= 1;
          if (budget.left < 0) return false;
          if (a === b ? one === other : !overlaps(a, b)) continue;
          if (a === b) return true;
          const key = a < b ? `${a},${b}` : `${b},${a}`;
          if (!known.has(key)) pairs.push([a, b]);
          known.add(key);
        }
    }
  }
  return false;
}

function graphOf(
  { onward, states }: RegexProgram,
  classOf: (id: number) => ReadonlySet<string>,
  budget: StepBudget,
): Graph {
  const next = new Map<number, number[]>();
  const last = new Set<number>();
  for (const [from, { character, next: after }] of states.entries()) {
    if (character === undefined) continue;
    const targets: number[] = [];
    const path = new Set<number>();
    const visit = (id: number, edge: string): void => {
      const state = states[id];
      budget.left -= 1;
      if (state === undefined || path.has(id) || budget.left < 0) return;
      if (id === MATCH && edge === '') last.add(from);
      else if (state.character !== undefined) {
        if (edge === '' || isEdge(classOf(from), classOf(id), edge)) targets.push(id);
      } else {
        if (onward.has(id)) path.add(id);
        const { assertion } = state;
        for (const each of state.next) visit(each, assertion === undefined || edge !== '' ? edge : assertion.text);
        path.delete(id);
      }
    };
    for (const each of after) visit(each, '');
    next.set(from, targets);
  }
  return { next, last };
}

/** Whether an assertion such as `\b` can hold between a character of one class and one of the other. */
function isEdge(before: ReadonlySet<string>, after: ReadonlySet<string>, assertion: string): boolean {
  if (assertion !== String.raw`\b`) return true;
  const [left, right] = [before, after].map((set) => new Set([...set].map((character) => /\w/.test(character))));
  return [true, false].some((isWord) => left?.has(isWord) === true && right?.has(!isWord) === true);
}

/** The loops: sets of states each of which leads to each other. */
function loopsOf({ next }: Graph, budget: StepBudget): readonly ReadonlySet<number>[] {
  const reach = new Map([...next.keys()].map((id) => [id, reachFrom(id, next, budget)] as const));
  const loops: Set<number>[] = [];
  for (const [id, reached] of reach) {
    if (!reached.has(id) || loops.some((loop) => loop.has(id))) continue;
    loops.push(new Set([...reached].filter((other) => reach.get(other)?.has(id) === true)));
  }
  return loops;
}

function reachFrom(start: number, next: Graph['next'], budget: StepBudget): ReadonlySet<number> {
  const reached = new Set<number>();
  const rest = [start];
  for (let id = rest.pop(); id !== undefined && budget.left > 0; id = rest.pop())
    for (const each of next.get(id) ?? []) {
      budget.left -= 1;
      if (!reached.has(each)) rest.push(each);
      reached.add(each);
    }
  return reached;
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
