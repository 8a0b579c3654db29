import { parseRegex, type RegexNode, singleCharacter } from '../../packages/schema/src/regex/parse.ts';

type Characters = ReadonlySet<string>;
/** The characters that sets are compared by: ASCII, and some of every other kind. */
const ALPHABET: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from('éßжД中あ｜▁“”‘’×÷−…\u00A0\u2028\uFEFF\u0301\u{1F600}'),
];

type Repeat = Extract<RegexNode, { kind: 'repeat' }>;

/** What can follow a part of a pattern: the rest of its sequence, the body of the loop around it once more, then what follows that. */
interface Continuation {
  readonly nodes: readonly RegexNode[];
  readonly loop?: RegexNode | undefined;
  readonly next?: Continuation | undefined;
}

/** A repetition without an upper bound, and what stands around it. */
interface Occurrence {
  readonly repeat: Repeat;
  readonly before: readonly RegexNode[];
  readonly after: Continuation;
}

/**
 * Says why matching a pattern can take more than linear time, or returns `undefined`. Three shapes are refused, each only where the match can
 * still fail afterwards: a repetition inside a repetition that can take the same characters, two repetitions that can, with nothing certain
 * between them, and a search whose every start can run through the same repetition.
 */
export function slowShape(source: string, flags: string): string | undefined {
  const root = parseRegex(source, flags);
  const occurrences: Occurrence[] = [];
  collect(root, [], { nodes: [] }, occurrences);
  const isSearch = !flags.includes('y');
  for (const { repeat, before, after } of occurrences) {
    const set = charactersOf(repeat.of);
    const clash = findClash(set, after);
    if (clash !== undefined) return clash;
    if (isSearch && canFail(after) && startsInside(before, repeat, set))
      return 'a search can begin at each character of a repetition, and run through it each time';
  }
  return undefined;
}

function collect(node: RegexNode, before: readonly RegexNode[], after: Continuation, found: Occurrence[]): void {
  switch (node.kind) {
    case 'sequence':
      for (const [index, part] of node.of.entries())
        collect(part, [...before, ...node.of.slice(0, index)], { nodes: node.of.slice(index + 1), next: after }, found);
      break;
    case 'choice':
      for (const branch of node.of) collect(branch, before, after, found);
      break;
    case 'assertion':
      if (node.of !== undefined) collect(node.of, before, { nodes: [] }, found);
      break;
    case 'repeat': {
      const isEndless = node.max === Infinity;
      if (isEndless) found.push({ repeat: node, before, after });
      collect(node.of, before, isEndless ? { nodes: [], loop: node.of, next: after } : after, found);
      break;
    }
    default:
      break;
  }
}

/** Follows what a run of these characters can run into, until something certain ends it. */
function findClash(set: Characters, after: Continuation): string | undefined {
  for (let rest: Continuation | undefined = after; rest !== undefined; rest = rest.next) {
    for (const [index, node] of rest.nodes.entries()) {
      const { isOver, meets } = run(node, set);
      if (meets && canFail({ ...rest, nodes: rest.nodes.slice(index + 1) }, node))
        return 'two repetitions in a row can take the same characters';
      if (isOver) return undefined;
    }
    if (rest.loop === undefined) continue;
    const { meets } = run(rest.loop, set);
    if (meets && canFail(rest)) return 'a repetition inside a repetition can take the same characters';
  }
  return undefined;
}

/** Whether a run of these characters certainly ends at a node, and whether it can meet another repetition of them there. */
function run(node: RegexNode, set: Characters): { readonly isOver: boolean; readonly meets: boolean } {
  switch (node.kind) {
    case 'character':
    case 'reference':
      return { isOver: !overlaps(charactersOf(node), set), meets: false };
    case 'assertion':
      return { isOver: false, meets: node.of !== undefined && !node.text.includes('<') && run(node.of, set).meets };
    case 'choice': {
      const branches = node.of.map((branch) => run(branch, set));
      return { isOver: branches.every((each) => each.isOver), meets: branches.some((each) => each.meets) };
    }
    case 'sequence':
      for (const part of node.of) {
        const { isOver, meets } = run(part, set);
        if (meets || isOver) return { isOver, meets };
      }
      return { isOver: false, meets: false };
    case 'repeat': {
      const inner = run(node.of, set);
      const meets = inner.meets || (node.max === Infinity && !inner.isOver && overlaps(charactersOf(node.of), set));
      return { isOver: node.min > 0 && inner.isOver, meets };
    }
    default:
      return node satisfies never;
  }
}

/** Whether the match can begin at any character of the repetition: nothing before it is certain to differ. */
function startsInside(before: readonly RegexNode[], repeat: Repeat, set: Characters): boolean {
  if (before.some((node) => node.kind === 'assertion' && node.text === '^')) return false;
  const [first] = before;
  const guard = first?.kind === 'assertion' && first.text === '(?<!' && first.of !== undefined ? first.of : undefined;
  if (guard !== undefined && [...firstOf(repeat.of)].every((character) => charactersOf(guard).has(character)))
    return false;
  return !before.some((node) => run(node, set).isOver);
}

function firstOf(node: RegexNode): Characters {
  if (node.kind === 'sequence')
    return firstOf(node.of.find((part) => part.kind !== 'assertion') ?? { kind: 'sequence', of: [] });
  return charactersOf(node);
}

/** Whether something that may not match follows. */
function canFail(after: Continuation | undefined, within?: RegexNode): boolean {
  if (within !== undefined && within.kind === 'sequence' && within.of.length > 1) return true;
  for (let rest = after; rest !== undefined; rest = rest.next)
    if (rest.nodes.some((node) => !isOptional(node))) return true;
  return within !== undefined && within.kind === 'assertion';
}

function isOptional(node: RegexNode): boolean {
  switch (node.kind) {
    case 'character':
    case 'reference':
    case 'assertion':
      return false;
    case 'repeat':
      return node.min === 0 || isOptional(node.of);
    case 'choice':
      return node.of.some(isOptional);
    case 'sequence':
      return node.of.every(isOptional);
    default:
      return node satisfies never;
  }
}

function charactersOf(node: RegexNode): Characters {
  switch (node.kind) {
    case 'character': {
      const single = singleCharacter(node.text, node.flags);
      return new Set(ALPHABET.filter((character) => single.test(character)));
    }
    case 'reference':
      return new Set(ALPHABET);
    case 'assertion':
      return new Set();
    case 'repeat':
      return charactersOf(node.of);
    case 'choice':
    case 'sequence':
      return new Set(node.of.flatMap((part) => [...charactersOf(part)]));
    default:
      return node satisfies never;
  }
}

function overlaps(one: Characters, other: Characters): boolean {
  for (const character of one) if (other.has(character)) return true;
  return false;
}
