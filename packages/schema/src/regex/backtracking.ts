import { type Assertion, charactersOf, charge, holdsAt, type StepBudget } from './linear.ts';
import { parseRegex, partsOf, type RegexNode, singleCharacter } from './parse.ts';

type Repeat = Extract<RegexNode, { kind: 'repeat' }>;

/** Matches one part at the position of the machine, and returns how to go on; undefined where it does not match. */
type Step = (machine: Machine) => Step | undefined;

/** A way that has not been tried: from `at`, and then from each position up to `last`. */
interface Choice {
  readonly step: Step;
  at: number;
  readonly last: number;
  readonly trail: number;
}

interface Machine {
  readonly characters: readonly string[];
  readonly budget: StepBudget;
  at: number;
  /**
   * Three for each group (where it was entered, its start and end) and two for each loop (its passes, and where the
   * last began).
   */
  readonly slots: number[];
  /** The slots that have changed, each with its value before. */
  readonly trail: number[];
  readonly choices: Choice[];
}

/** The most that a match may keep to go back to. */
const MAX_KEPT = 16_000_000;

/**
 * Compiles a regular expression to a search that backtracks as JavaScript does, counts its steps, and has no stack to
 * overflow. The search returns the index of the first match, or -1, and throws a RangeError when its steps are used up.
 */
export function compileBacktracking(pattern: RegExp): (text: string, budget: StepBudget) => number {
  const tree = parseRegex(pattern.source, pattern.flags);
  let size = groupsOf(tree).length * 3 + 3;

  /** Returns the step that matches a part, and then `next`. */
  function build(part: RegexNode, next: Step, isBackward: boolean): Step {
    switch (part.kind) {
      case 'character': {
        const single = singleCharacter(part.text, part.flags);
        const [ahead, move] = isBackward ? [-1, -1] : [0, 1];
        return (machine) => {
          const character = machine.characters[machine.at + ahead];
          if (character === undefined || !single.test(character)) return undefined;
          machine.at += move;
          return next;
        };
      }
      case 'sequence': {
        const parts = isBackward ? part.of : part.of.toReversed();
        const { group } = part;
        if (group === undefined) return parts.reduce((first, each) => build(each, first, isBackward), next);
        const close: Step = (machine) => {
          const entered = machine.slots[group * 3] ?? -1;
          set(machine, group * 3 + 1, Math.min(entered, machine.at));
          set(machine, group * 3 + 2, Math.max(entered, machine.at));
          return next;
        };
        const body = parts.reduce((first, each) => build(each, first, isBackward), close);
        return (machine) => {
          set(machine, group * 3, machine.at);
          return body;
        };
      }
      case 'choice': {
        const [first, ...others] = part.of.map((branch) => build(branch, next, isBackward));
        others.reverse();
        return (machine) => {
          machine.budget.left -= others.length;
          for (const other of others) offer(machine, other, machine.at);
          return first;
        };
      }
      case 'repeat':
        return part.of.kind === 'character' && !part.lazy
          ? repeatCharacter(singleCharacter(part.of.text, part.of.flags), part, next, isBackward)
          : loop(part, next, isBackward);
      case 'assertion':
        return part.of === undefined
          ? (machine) => (holdsAt(part, machine.at, machine.characters) ? next : undefined)
          : look(part, build(part.of, done, part.text.includes('<')), next);
      case 'reference':
        return reference(part, next, isBackward);
      default:
        return part satisfies never;
    }
  }

  function loop(part: Repeat, next: Step, isBackward: boolean): Step {
    const { lazy, of } = part;
    // Passes without characters are all alike.
    const [min, max] = isEmpty(of) ? [Math.min(part.min, 1), Math.min(part.max, 1)] : [part.min, part.max];
    const [passes, began] = [size, size + 1];
    size += 2;
    const inner = groupsOf(of);
    const again: Step = (machine) => {
      const count = machine.slots[passes] ?? 0;
      if (count > min && machine.at === machine.slots[began]) return undefined;
      if (count < min) return pass;
      if (count >= max) return next;
      offer(machine, lazy ? pass : next, machine.at);
      return lazy ? next : pass;
    };
    const body = build(of, again, isBackward);
    const pass: Step = (machine) => {
      set(machine, passes, (machine.slots[passes] ?? 0) + 1);
      set(machine, began, machine.at);
      for (const group of inner) set(machine, group * 3 + 2, -1);
      return body;
    };
    return (machine) => {
      set(machine, passes, 0);
      return again;
    };
  }

  const start = build(tree, done, false);
  return (text, budget) => {
    const characters = charactersOf(text, pattern);
    const slots = Array.from({ length: size }, () => -1);
    const machine: Machine = { characters, budget, at: 0, slots, trail: [], choices: [] };
    for (let first = 0; first <= characters.length; first += 1) {
      machine.at = first;
      if (run(start, machine)) return characters.slice(0, first).join('').length;
      undo(machine, 0);
    }
    return -1;
  };
}

const done: Step = () => undefined;

function run(start: Step, machine: Machine): boolean {
  const { budget, choices, trail } = machine;
  const base = choices.length;
  for (let step: Step | undefined = start; ;) {
    charge(budget, trail.length + choices.length > MAX_KEPT ? Infinity : 1);
    if (step === done) {
      choices.length = base;
      return true;
    }
    step = step(machine);
    if (step !== undefined) continue;
    const choice = choices.length > base ? choices.at(-1) : undefined;
    if (choice === undefined) return false;
    undo(machine, choice.trail);
    ({ at: machine.at, step } = choice);
    if (choice.at === choice.last) choices.pop();
    else choice.at += Math.sign(choice.last - choice.at);
  }
}

function undo({ slots, trail }: Machine, length: number): void {
  while (trail.length > length) {
    const value = trail.pop() ?? -1;
    slots[trail.pop() ?? 0] = value;
  }
}

function set({ budget, slots, trail }: Machine, slot: number, value: number): void {
  budget.left -= 1;
  trail.push(slot, slots[slot] ?? -1);
  slots[slot] = value;
}

function offer({ choices, trail }: Machine, step: Step, at: number, last = at): void {
  choices.push({ step, at, last, trail: trail.length });
}

/** Repeats one character as often as possible, with one choice for all positions to go back to. */
function repeatCharacter(single: RegExp, { max, min }: Repeat, next: Step, isBackward: boolean): Step {
  const [ahead, move] = isBackward ? [-1, -1] : [0, 1];
  return (machine) => {
    const { at, budget, characters } = machine;
    let count = 0;
    for (; count < max; count += 1) {
      const character = characters[at + count * move + ahead];
      if (character === undefined || !single.test(character)) break;
    }
    budget.left -= count;
    if (count < min) return undefined;
    machine.at = at + count * move;
    if (count > min) offer(machine, next, machine.at - move, at + min * move);
    return next;
  };
}

function look({ text }: Assertion, inner: Step, next: Step): Step {
  const isWanted = text.endsWith('=');
  return (machine) => {
    const [at, length] = [machine.at, machine.trail.length];
    const isFound = run(inner, machine);
    machine.at = at;
    if (!isWanted || !isFound) undo(machine, length);
    return isFound === isWanted ? next : undefined;
  };
}

function reference(
  { flags, groups }: Extract<RegexNode, { kind: 'reference' }>,
  next: Step,
  isBackward: boolean,
): Step {
  return (machine) => {
    const { at, budget, characters, slots } = machine;
    const group = groups.find((each) => (slots[each * 3 + 2] ?? -1) >= 0);
    if (group === undefined) return next;
    const [start = 0, end = 0] = slots.slice(group * 3 + 1, group * 3 + 3);
    const first = isBackward ? at - (end - start) : at;
    for (let offset = 0; offset < end - start; offset += 1) {
      budget.left -= 1;
      if (!isSame(characters[start + offset] ?? '', characters[first + offset], flags)) return undefined;
    }
    machine.at = isBackward ? first : at + (end - start);
    return next;
  };
}

function isSame(one: string, other: string | undefined, flags: string): boolean {
  if (one === other || other === undefined || !flags.includes('i')) return one === other;
  const hex = (one.codePointAt(0) ?? 0).toString(16);
  return singleCharacter(/[uv]/.test(flags) ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`, flags).test(other);
}

/** The groups in a part. */
function groupsOf(node: RegexNode): readonly number[] {
  const inner = partsOf(node).flatMap(groupsOf);
  return node.kind === 'sequence' && node.group !== undefined ? [node.group, ...inner] : inner;
}

/** Whether a part never matches a character. */
function isEmpty(node: RegexNode): boolean {
  if (node.kind === 'assertion' || (node.kind === 'repeat' && node.max === 0)) return true;
  return node.kind !== 'character' && node.kind !== 'reference' && partsOf(node).every(isEmpty);
}
