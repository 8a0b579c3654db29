import { MATCH, programOf, type RegexProgram, type StepBudget } from './linear.ts';
import { parseRegex, type RegexNode } from './parse.ts';

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
  // A loop around something needs a group, and twenty optional parts need forty characters.
  if (!pattern.source.includes('(') && pattern.source.length < 40) return false;
  const tree = withoutReferences(parseRegex(pattern.source, pattern.flags), pattern.flags);
  const budget = { left: MAX_ANALYSIS };
  const samples = samplesOf(pattern.source);
  let isKnown = true;
  for (const body of bodiesOf(tree)) {
    const program = programOf(body, false);
    if (program === undefined) isKnown = false;
    else if (isAmbiguous(program, samples, budget)) return true;
  }
  if (hasManyWays(tree, Array.from(pattern.source), budget)) return true;
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

/** From how many ways to read a short text without its loops a pattern is exponential: `a?a?a?…aaa…` in the number of its optional parts. */
const MANY_WAYS = 2 ** 20;
const MAX_WORD = 64;

function hasManyWays(tree: RegexNode, characters: readonly string[], budget: StepBudget): boolean {
  const program = programOf(withoutLoops(tree), false);
  if (program === undefined) return false;
  return [...new Set(characters)].some((character) => waysOf(program, character, budget) > MANY_WAYS);
}

/** The most ways to read the same character again and again. Without loops, each state is numbered after those that follow it. */
function waysOf({ start, states }: RegexProgram, character: string, budget: StepBudget): number {
  const reads = states.map((state) => state.character?.test(character) === true);
  let [most, ways] = [0, new Float64Array(states.length)];
  ways[start] = 1;
  for (let length = 0; length < MAX_WORD && budget.left > 0; length += 1) {
    const after = new Float64Array(states.length);
    let sum = 0;
    budget.left -= states.length / 8;
    for (let id = states.length - 1; id > MATCH; id -= 1) {
      const [state, count = 0] = [states[id], ways[id]];
      if (count === 0 || state === undefined || (state.character !== undefined && reads[id] !== true)) continue;
      const into = state.character === undefined ? ways : after;
      for (const next of state.next) into[next] = (into[next] ?? 0) + count;
      if (into === after) sum += count;
    }
    most = Math.max(most, sum);
    if (sum === 0) break;
    ways = after;
  }
  return most;
}

function withoutLoops(node: RegexNode): RegexNode {
  switch (node.kind) {
    case 'sequence':
    case 'choice':
      return { ...node, of: node.of.map(withoutLoops) };
    case 'repeat': {
      const count = Math.max(node.min, 1);
      const [min, max] = node.max === Infinity ? [count, count] : [node.min, node.max];
      return { ...node, of: withoutLoops(node.of), min, max };
    }
    default:
      return node;
  }
}
