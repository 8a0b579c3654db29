import { parseRegex, partsOf, type RegexNode, singleCharacter } from './parse.ts';

/** An assertion of a regular expression. */
export type Assertion = Extract<RegexNode, { kind: 'assertion' }>;

/** A state of an automaton: it reads a character, holds under an assertion, or only leads on. */
export interface RegexState {
  readonly character: RegExp | undefined;
  readonly assertion: Assertion | undefined;
  /** The states that follow; one for a character or an assertion. */
  readonly next: number[];
}

/** An automaton without memory, whose first state is the match. */
export interface RegexProgram {
  readonly states: readonly RegexState[];
  readonly start: number;
  /** Where a loop goes on after a pass. */
  readonly onward: ReadonlySet<number>;
}

/** The steps that matches may take. */
export interface StepBudget {
  /** The steps that are left. */
  left: number;
}

/** Takes steps from a budget. Throws a RangeError when they are used up. */
export function charge(budget: StepBudget, steps: number): void {
  budget.left -= steps;
  if (!(budget.left >= 0)) throw new RangeError('The patterns need too many steps on this text.');
}

/** The state that matches. */
export const MATCH = 0;
const MAX_STATES = 4000;

/**
 * Returns the automaton of a regular expression, or of what it reads from right to left; undefined if it has a back
 * reference or counts too far. A loop has one state where it is entered and one where it goes on: as in JavaScript, it
 * does not go on twice without a character.
 */
export function programOf(node: RegexNode, isBackward: boolean): RegexProgram | undefined {
  const states: RegexState[] = [{ character: undefined, assertion: undefined, next: [] }];
  const loops = new Set<number>();
  let isTooLarge = false;

  function state(next: number[], part?: RegexNode): number {
    states.push({
      character: part?.kind === 'character' ? singleCharacter(part.text, part.flags) : undefined,
      assertion: part?.kind === 'assertion' ? part : undefined,
      next,
    });
    return states.length - 1;
  }

  function build(part: RegexNode, next: number): number {
    if (states.length > MAX_STATES || part.kind === 'reference') isTooLarge = true;
    if (isTooLarge) return next;
    switch (part.kind) {
      case 'sequence': {
        let first = next;
        for (const each of isBackward ? part.of : part.of.toReversed()) first = build(each, first);
        return first;
      }
      case 'choice':
        return state(part.of.map((branch) => build(branch, next)));
      case 'repeat':
        return repeated(part, next);
      default:
        return state([next], part);
    }
  }

  function repeated({ of, min, max }: Extract<RegexNode, { kind: 'repeat' }>, next: number): number {
    let first = next;
    if (max === Infinity) {
      const onward: number[] = [];
      const again = state(onward);
      const body = build(of, again);
      onward.push(body, next);
      loops.add(again);
      first = state([body, next]);
    } else for (let count = min; count < max && !isTooLarge; count += 1) first = state([build(of, first), next]);
    for (let count = 0; count < min && !isTooLarge; count += 1) {
      const { length } = states;
      first = build(of, first);
      // What adds no state matches only the empty text, and does so as often as one likes.
      if (states.length === length) break;
    }
    return first;
  }

  const start = build(node, MATCH);
  return isTooLarge ? undefined : { states, start, onward: loops };
}

/** What is reached at a position of a text. */
interface Reached {
  readonly ids: readonly number[];
  readonly isMatch: boolean;
  /** What follows for a character, as far as it is known. */
  readonly next: Map<string, Reached>;
}

/** A text, and at which of its positions each look-around holds. */
interface Reading {
  readonly characters: readonly string[];
  readonly looks: Map<Assertion, Uint8Array>;
  readonly budget: StepBudget;
}

type Look = (assertion: Assertion, reading: Reading) => Uint8Array | undefined;
/** Returns, for each position, whether a match ends there; read from right to left, whether one begins there. */
type Follow = (reading: Reading, look: Look) => Uint8Array;

const MAX_KNOWN = 1000;

/**
 * Compiles a regular expression to a search that takes time in proportion to the text, whatever the expression: all
 * that can match is followed at once. Undefined if it has a back reference or counts too far. The search returns the
 * index of the first match, or -1, and throws a RangeError when its steps are used up.
 */
export function compileLinear(pattern: RegExp): ((text: string, budget: StepBudget) => number) | undefined {
  const tree = parseRegex(pattern.source, pattern.flags);
  // What is ahead is read from its end, so that each position where it begins is found in one pass.
  const parts = [{ node: tree, isBackward: true }, ...looksOf(tree)];
  const follows = new Map<RegexNode, Follow>();
  for (const { node, isBackward } of parts) {
    const program = programOf(node, isBackward);
    if (program === undefined) return undefined;
    follows.set(node, createFollow(program, isBackward));
  }
  const look: Look = (assertion, reading) => {
    const known = reading.looks.get(assertion);
    if (known !== undefined || assertion.of === undefined) return known;
    const found = follows.get(assertion.of)?.(reading, look);
    if (found !== undefined) reading.looks.set(assertion, found);
    return found;
  };
  return (text, budget) => {
    const characters = charactersOf(text, pattern);
    const first = follows.get(tree)?.({ characters, looks: new Map(), budget }, look).indexOf(1) ?? -1;
    return first === -1 ? first : characters.slice(0, first).join('').length;
  };
}

/** Returns the characters that an expression reads one by one: code points, or UTF-16 code units. */
export function charactersOf(text: string, { unicode, unicodeSets }: RegExp): readonly string[] {
  return unicode || unicodeSets ? Array.from(text) : Array.from({ length: text.length }, (_, at) => text.charAt(at));
}

/** Returns what each look-around contains, and whether it is read from right to left here: look-aheads are. */
export function looksOf(node: RegexNode): readonly { readonly node: RegexNode; readonly isBackward: boolean }[] {
  const inner = partsOf(node).flatMap(looksOf);
  if (node.kind !== 'assertion' || node.of === undefined) return inner;
  return [{ node: node.of, isBackward: !node.text.includes('<') }, ...inner];
}

function createFollow({ states, start }: RegexProgram, isBackward: boolean): Follow {
  // What is reached inside of a text depends on nothing but the character, unless something else is looked at.
  const isCached = states.every(
    ({ assertion }) => assertion === undefined || (/^[$^]$/.test(assertion.text) && !assertion.flags.includes('m')),
  );
  const known = new Map<string, Reached>();
  const reachedAt = new Float64Array(states.length);
  let round = 0;

  /** What is reached from these states without a character. */
  function reach(from: readonly number[], at: number, reading: Reading, look: Look): Reached {
    const ids: number[] = [];
    let isMatch = false;
    round += 1;
    const now = round;
    const stack = from.toReversed();
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      const state = states[id];
      if (state === undefined || reachedAt[id] === now) continue;
      reachedAt[id] = now;
      reading.budget.left -= 1;
      if (id === MATCH) isMatch = true;
      else if (state.character !== undefined) ids.push(id);
      else if (state.assertion === undefined || holds(state.assertion, at, reading, look)) stack.push(...state.next);
    }
    const key = `${isMatch ? '!' : ''}${ids.join(',')}`;
    const same = isCached ? known.get(key) : undefined;
    if (same !== undefined) return same;
    const reached = { ids, isMatch, next: new Map<string, Reached>() };
    if (known.size === MAX_KNOWN) known.clear();
    if (isCached) known.set(key, reached);
    return reached;
  }

  return (reading, look) => {
    const { budget, characters } = reading;
    const { length } = characters;
    const found = new Uint8Array(length + 1);
    let at = isBackward ? length : 0;
    let reached = reach([start], at, reading, look);
    for (let step = 0; ; step += 1) {
      if (reached.isMatch) found[at] = 1;
      if (step === length) return found;
      charge(budget, 1);
      const character = characters[isBackward ? at - 1 : at] ?? '';
      at += isBackward ? -1 : 1;
      const isInside = isCached && at > 0 && at < length;
      let following = isInside ? reached.next.get(character) : undefined;
      if (following === undefined) {
        const after = reached.ids.flatMap((id) => (states[id]?.character?.test(character) ? states[id].next : []));
        following = reach([...after, start], at, reading, look);
        if (reached.next.size === MAX_KNOWN) reached.next.clear();
        if (isInside) reached.next.set(character, following);
      }
      reached = following;
    }
  };
}

function holds(assertion: Assertion, at: number, reading: Reading, look: Look): boolean {
  if (assertion.of === undefined) return holdsAt(assertion, at, reading.characters);
  return (look(assertion, reading)?.[at] === 1) === assertion.text.endsWith('=');
}

/** Returns whether an assertion that is no look-around holds at a position. */
export function holdsAt({ flags, text }: Assertion, at: number, characters: readonly string[]): boolean {
  const [before, after] = [characters[at - 1], characters[at]];
  const isEdge = (beside: string | undefined): boolean =>
    beside === undefined || (flags.includes('m') && /[\n\r\u2028\u2029]/.test(beside));
  const isWord = (beside = ''): boolean => singleCharacter(String.raw`\w`, flags).test(beside);
  if (text === '^') return isEdge(before);
  if (text === '$') return isEdge(after);
  return (isWord(before) !== isWord(after)) === (text === String.raw`\b`);
}
