import { looksOf, MATCH, programOf, type RegexProgram, type StepBudget } from './linear.ts';
import { parseRegex, partsOf, type RegexNode } from './parse.ts';

/** The steps that an analysis may take; what takes more is not said to be exponential. */
const MAX_ANALYSIS = 300_000;
const PALETTE = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from('éßжДÀ中あ｜▁×…\u00A0\u2028\uFEFF\u0301\u{1F600}'),
];

/**
 * Whether backtracking can take exponential time: within a loop, one text can be read in two ways that meet again, and
 * what follows can still fail. Exact for an automaton without look-arounds, which are taken to hold. Undefined if the
 * pattern is too large to say, and for a back reference or a property of characters (`\p{…}`) that might make it so.
 */
export function isExponential(pattern: RegExp): boolean | undefined {
  // A loop around something needs a group, and twenty optional parts need forty characters.
  if (!pattern.source.includes('(') && pattern.source.length < 40) return false;
  const tree = parseRegex(pattern.source, pattern.flags);
  const samples = samplesOf(pattern.source);
  const budget = { left: MAX_ANALYSIS - (samples.length - PALETTE.length) ** 2 / 4 };
  let isKnown = !hasReference(tree);
  for (const body of [tree, ...looksOf(tree).map(({ node }) => node)]) {
    const program = programOf(withoutReferences(body), false);
    const answer = program === undefined ? undefined : isAmbiguous(program, samples, budget);
    if (answer === true) return true;
    if (answer === undefined) isKnown = false;
  }
  if (hasManyWays(withoutReferences(tree), Array.from(pattern.source), budget)) return true;
  return isKnown && budget.left > 0 ? false : undefined;
}

function hasReference(node: RegexNode): boolean {
  return node.kind === 'reference' || partsOf(node).some(hasReference);
}

/**
 * A reference may match nothing, and it may fail: so it becomes a look-around. A look-around that contains one is not
 * taken to hold.
 */
function withoutReferences(node: RegexNode): RegexNode {
  if (node.kind === 'reference') return { kind: 'assertion', text: '(?=', of: undefined, flags: node.flags };
  if (node.kind === 'assertion' && hasReference(node)) return { kind: 'character', text: '[]', flags: node.flags };
  return changeParts(node, withoutReferences);
}

/** What look-arounds contain is not changed. */
function changeParts(node: RegexNode, change: (part: RegexNode) => RegexNode): RegexNode {
  if (node.kind === 'sequence' || node.kind === 'choice') return { ...node, of: node.of.map(change) };
  return node.kind === 'repeat' ? { ...node, of: change(node.of) } : node;
}

/**
 * Characters that tell the classes of an expression apart: of two ranges that overlap, one contains an end of the
 * other, or what is beside it.
 */
function samplesOf(source: string): readonly string[] {
  const escapes = [...source.matchAll(/\\(?:u\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2}))/g)];
  const named = escapes.map(([, ...hex]) => Number.parseInt(hex.find((each) => each !== undefined) ?? '0', 16));
  const written = Array.from(source, (each) => each.codePointAt(0) ?? 0);
  const units = Array.from({ length: source.length }, (_, at) => source.charCodeAt(at));
  const codes = new Set([...named, ...written, ...units].flatMap((code) => [code - 1, code, code + 1]));
  const inRange = [...codes].filter((code) => code >= 0 && code <= 0x10_ffff);
  return [...new Set([...PALETTE, ...inRange.map((code) => String.fromCodePoint(code))])];
}

/** The states that read a character, and for each those that read the next one: as often as paths lead there. */
interface Graph {
  readonly next: ReadonlyMap<number, readonly number[]>;
  /** The states after which the match may be over. */
  readonly last: ReadonlySet<number>;
}

/** Undefined if it depends on classes that have no sample in common, but of whose characters only a few are known. */
function isAmbiguous(program: RegexProgram, samples: readonly string[], budget: StepBudget): boolean | undefined {
  const classes = new Map<RegExp, ReadonlySet<string>>();
  const singleOf = (id: number): RegExp | undefined => program.states[id]?.character;
  const classOf = (id: number): ReadonlySet<string> => {
    const single = singleOf(id);
    if (single === undefined) return new Set();
    const known = classes.get(single) ?? new Set(samples.filter((each) => single.test(each)));
    classes.set(single, known);
    return known;
  };
  const isKnown = (id: number): boolean => classOf(id).size > 0 && !/\\p/i.test(singleOf(id)?.source ?? '');
  const meet = (one: number, other: number): boolean =>
    singleOf(one) === singleOf(other) || [...classOf(one)].some((each) => classOf(other).has(each));
  const mayMeet = (one: number, other: number): boolean => !isKnown(one) || !isKnown(other) || meet(one, other);
  const graph = graphOf(program, classOf, budget);
  const loops = loopsOf(graph, budget).filter((loop) => ![...loop].every((id) => graph.last.has(id)));
  if (loops.some((loop) => hasTwoWays(loop, graph, meet, budget))) return true;
  const isCertain = program.states.every((_, id) => singleOf(id) === undefined || isKnown(id));
  return isCertain || !loops.some((loop) => hasTwoWays(loop, graph, mayMeet, budget)) ? false : undefined;
}

/** Whether two paths that read the same text part in a loop, and meet again. */
function hasTwoWays(
  loop: ReadonlySet<number>,
  graph: Graph,
  overlaps: (one: number, other: number) => boolean,
  budget: StepBudget,
): boolean {
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
  if (assertion !== String.raw`\b` || before.size === 0 || after.size === 0) return true;
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

/**
 * From how many ways to read a short text without its loops a pattern is exponential: `a?a?a?…aaa…` in the number of
 * its optional parts.
 */
const MANY_WAYS = 2 ** 20;
const MAX_WORD = 64;

function hasManyWays(tree: RegexNode, characters: readonly string[], budget: StepBudget): boolean {
  const program = programOf(withoutLoops(tree), false);
  if (program === undefined) return false;
  return [...new Set(characters)].some((each) => budget.left > 0 && waysOf(program, each, budget) > MANY_WAYS);
}

/**
 * The most ways to read the same character again and again. Without loops, each state is numbered after those that
 * follow it.
 */
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
  const changed = changeParts(node, withoutLoops);
  if (changed.kind !== 'repeat' || changed.max !== Infinity) return changed;
  const count = Math.max(changed.min, 1);
  return { ...changed, min: count, max: count };
}
