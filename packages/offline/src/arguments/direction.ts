import type { JsonObject } from '@kernel/protocol';
import { wordsOf } from '../language/words.ts';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';

const SOURCE = /^(?:from|source|src|origin|start|old|before|since|left|base|departure)$/;
const TARGET = /^(?:to|destination|dest|dst|target|end|new|after|until|right|arrival)$/;
const SKIPPED = /^(?:the|an?|file|folder|directory|path|city|my|currency)$/;

/**
 * Whether a source, such as `from`, and a target, such as `to`, stand in the request as what they are: the target after the source, with its preposition before
 * it, and the source without one of a target. A path and a new path have a direction too. Otherwise nobody can say which is which.
 */
export function isDirected(slots: readonly Slot[], input: JsonObject, tokens: readonly Token[]): boolean {
  const targets = slots.filter((slot) => hasWordOf(slot, TARGET));
  const named = slots.filter((slot) => hasWordOf(slot, SOURCE));
  const others = slots.filter(
    (slot) => slot.required && slot.kind !== 'enum' && slot.kind !== 'number' && !targets.includes(slot),
  );
  const sources = named.length > 0 || others.length !== 1 ? named : others;
  return sources.every((source) =>
    targets.every((target) => {
      if (source === target || (source.kind === 'number') !== (target.kind === 'number')) return true;
      if (named.length === 0 && source.kind === 'text' && target.kind !== 'text' && target.kind !== 'path') return true;
      const [from, to] = [indexOf(input[source.name], tokens), indexOf(input[target.name], tokens)];
      return (
        from !== -1 &&
        from < to &&
        /^(?:to|into|onto|as|until)$/.test(wordBefore(to, tokens)) &&
        !/^(?:to|into|onto|as|over|toward|towards|until|with|of)$/.test(wordBefore(from, tokens))
      );
    }),
  );
}

function hasWordOf({ name }: Slot, words: RegExp): boolean {
  return wordsOf(name).some((word) => words.test(word));
}

/** Where a value stands in the request. */
function indexOf(value: unknown, tokens: readonly Token[]): number {
  const whole = String(value).toLowerCase();
  const [first] = whole.split(/\s+/);
  return tokens.findIndex(({ text }) => text.toLowerCase() === whole || text.toLowerCase() === first);
}

function wordBefore(index: number, tokens: readonly Token[]): string {
  return tokens.slice(0, index).findLast(({ lower }) => !SKIPPED.test(lower))?.lower ?? '';
}
