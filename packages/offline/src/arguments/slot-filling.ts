import type { Token } from '../language/tokenize.ts';

/** A request whose words are being assigned to a tool's arguments. */
export interface SlotFilling {
  /** The request as written. */
  readonly text: string;
  /** The request, tokenized. */
  readonly tokens: readonly Token[];
  /** How each claimed token, by index, was recognized: `exact` by its shape or a cue, `free` because it was left over. */
  readonly used: Map<number, 'exact' | 'free'>;
  /** Concepts that the tool itself mentions: words about the tool, not values. */
  readonly terms: ReadonlyMap<string, number>;
  /** Words that precede an argument in the tool's examples. */
  readonly cues: ReadonlySet<string>;
  /** The time that `today` refers to, in milliseconds since 1970. */
  readonly now: number;
  /** How much the shapes of the arguments speak for the tool, summed up. */
  evidence: number;
}

/** Marks tokens `from` to `to` (inclusive) as used and adds to the evidence. */
export function claim(filling: SlotFilling, from: number, to: number, how: 'exact' | 'free', evidence: number): void {
  for (let index = from; index <= to; index += 1) filling.used.set(index, how);
  filling.evidence += evidence;
}

/** Whether a token is a content word that no argument has claimed and that the tool does not mention. */
export function isUnclaimed(filling: SlotFilling, index: number): boolean {
  const token = filling.tokens[index];
  return (
    token?.role === 'content' &&
    !filling.used.has(index) &&
    (token.kind !== 'word' || !filling.terms.has(token.concept))
  );
}

/** Returns the end of the longest run of unclaimed words that starts at `from`, or -1. */
export function endOfRun(filling: SlotFilling, from: number): number {
  let to = from - 1;
  while (isUnclaimed(filling, to + 1) && filling.tokens[to + 1]?.kind !== 'expression') to += 1;
  return to >= from ? to : -1;
}

/** Returns the text of tokens `from` to `to`, joined by single spaces. */
export function textBetween(filling: SlotFilling, from: number, to: number): string {
  return filling.tokens
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');
}
