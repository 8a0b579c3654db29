import type { JsonValue } from '@kernel/protocol';
import type { Token } from '../language/tokenize.ts';
import type { Slot } from './argument-slots.ts';

export interface SlotFilling {
  readonly tokens: readonly Token[];
  /** How each claimed token, by index, was recognized: `exact` by its shape or a cue, `free` because it was left over. */
  readonly used: Map<number, 'exact' | 'free'>;
  /** Concepts that the tool itself mentions: words about the tool, not values. */
  readonly terms: ReadonlyMap<string, number>;
  evidence: number;
}

/** A token that no argument has claimed, and an argument that is to be filled. */
export interface Place {
  readonly filling: SlotFilling;
  readonly slot: Slot;
  readonly token: Token;
  readonly index: number;
  readonly before: string;
  readonly after: string;
  readonly isFree: boolean;
}

export type Found = readonly [value: JsonValue, to: number, more?: number];

const DAY = /^(?:yesterday|today|tomorrow|\d{4}-\d{2}-\d{2})(?:['’]s)?$/;

/** Whether a token is a content word that no argument has claimed, the tool does not mention, and nobody takes for a day. */
export function isFree({ tokens, used, terms }: SlotFilling, index: number): boolean {
  const token = tokens[index];
  if (token?.role !== 'content' || used.has(index) || DAY.test(token.lower)) return false;
  return token.kind !== 'word' || !terms.has(token.concept);
}
