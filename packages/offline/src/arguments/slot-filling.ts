import type { Token } from '../language/tokenize.ts';

export interface SlotFilling {
  readonly tokens: readonly Token[];
  /** How each claimed token, by index, was recognized: `exact` by its shape or a cue, `free` because it was left over. */
  readonly used: Map<number, 'exact' | 'free'>;
  /** Concepts that the tool itself mentions: words about the tool, not values. */
  readonly terms: ReadonlyMap<string, number>;
  readonly now: number;
  /** How much the shapes of the arguments speak for the tool, summed up. */
  evidence: number;
}

/** Claims tokens `from` to `to` (inclusive), adds to the evidence, and returns their text. */
export function claim(filling: SlotFilling, from: number, to: number, how: 'exact' | 'free', evidence: number): string {
  for (let index = from; index <= to; index += 1) filling.used.set(index, how);
  filling.evidence += evidence;
  const tokens = filling.tokens.slice(from, to + 1);
  return tokens.map(({ text }) => text).join(' ');
}

export function findFree({ tokens, used }: SlotFilling, test: (token: Token, index: number) => boolean): number {
  return tokens.findIndex((token, index) => !used.has(index) && test(token, index));
}

/** Whether a token is a content word that no argument has claimed and that the tool does not mention. */
export function isUnclaimed({ tokens, used, terms }: SlotFilling, index: number): boolean {
  const token = tokens[index];
  return token?.role === 'content' && !used.has(index) && (token.kind !== 'word' || !terms.has(token.concept));
}
