import type { Token } from './tokens.ts';

/** A request whose words are being handed out to a tool's arguments. */
export interface Taking {
  /** The request as written. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Index of a taken token → `exact`: its shape or a cue says what it is; `free`: it was left over. */
  readonly used: Map<number, 'exact' | 'free'>;
  /** Concepts that the tool itself names: words about the tool, not values. */
  readonly terms: ReadonlyMap<string, number>;
  readonly cues: ReadonlySet<string>;
  readonly now: number;
  /** Sum of what the shapes of the arguments say for the tool. */
  evidence: number;
}

/** Takes tokens `from` to `to` (inclusive) and adds to the evidence. */
export function take(taking: Taking, from: number, to: number, how: 'exact' | 'free', evidence: number): void {
  for (let index = from; index <= to; index += 1) taking.used.set(index, how);
  taking.evidence += evidence;
}

/** Says whether a token is a content word that nobody has taken yet and that the tool doesn't name. */
export function isFree(taking: Taking, index: number): boolean {
  const token = taking.tokens[index];
  return (
    token?.role === 'content' && !taking.used.has(index) && (token.kind !== 'word' || !taking.terms.has(token.concept))
  );
}

/** Returns the end of the longest run of free words that starts at `from`, or -1. */
export function runEnd(taking: Taking, from: number): number {
  let to = from - 1;
  while (isFree(taking, to + 1) && taking.tokens[to + 1]?.kind !== 'expression') to += 1;
  return to >= from ? to : -1;
}

/** Returns the text of tokens `from` to `to`, joined by single spaces. */
export function textBetween(taking: Taking, from: number, to: number): string {
  return taking.tokens
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');
}
