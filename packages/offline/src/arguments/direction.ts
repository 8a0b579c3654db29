import type { JsonObject } from '@kernel/protocol';
import { wordsOf } from '../language/words.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';

const TARGET = /^(?:to|destination|dest|dst|target|end|new|after|until|right|arrival)$/;
const SKIPPED = /^(?:the|an?|file|folder|directory|path|city|my|currency)$/;

/**
 * Whether a target, such as `to`, stands in the request with a preposition of a target before it, and after every value that could be its source, which has no
 * such preposition. Otherwise nobody can say which is which.
 */
export function isDirected(slots: readonly Slot[], input: JsonObject, tokens: readonly Token[]): boolean {
  const isTarget = ({ name }: Slot) => wordsOf(name).some((word) => TARGET.test(word));
  const isGiven = ({ name }: Slot) => Object.hasOwn(input, name);
  return slots.filter(isTarget).every((target) => {
    const others = slots.filter((slot) => !isTarget(slot) && isAlike(slot, target));
    const to = indexOf(input[target.name], tokens);
    if (isGiven(target) && others.length > 0 && !/^(?:to|into|onto|as|until)$/.test(wordBefore(to, tokens)))
      return false;
    return others.filter(isGiven).every(({ name }) => {
      const from = indexOf(input[name], tokens);
      const before = wordBefore(from, tokens);
      return from !== -1 && from < to && !/^(?:to|into|onto|as|over|toward|towards|until|with|of)$/.test(before);
    });
  });
}

function isAlike(one: Slot, other: Slot): boolean {
  const isName = ({ kind }: Slot) => kind === 'text' || kind === 'path';
  return one.kind === other.kind || (isName(one) && isName(other));
}

/** Where a value stands in the request, or -1. */
function indexOf(value: unknown, tokens: readonly Token[]): number {
  const whole = String(value).toLowerCase();
  const [first] = whole.split(/\s+/);
  return tokens.findIndex(({ text }) => text.toLowerCase() === whole || text.toLowerCase() === first);
}

function wordBefore(index: number, tokens: readonly Token[]): string {
  return tokens.slice(0, index).findLast(({ lower }) => !SKIPPED.test(lower))?.lower ?? '';
}
