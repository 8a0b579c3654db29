import type { ProviderEvent, ReasoningPart, TextPart } from '@kernel/protocol';

/** Collects a reply's text and reasoning: emits each piece, and keeps the parts in the order in which they came. */
export interface PartList {
  add(type: 'text' | 'reasoning', piece: string): void;
  /** The parts so far, frozen. */
  list(): readonly (TextPart | ReasoningPart)[];
  /** All text so far, without the reasoning. */
  text(): string;
}

/** Creates an empty list; pieces of one type in a row make one part. */
export function createPartList(emit: (event: ProviderEvent) => void): PartList {
  const parts: { type: 'text' | 'reasoning'; text: string }[] = [];
  let last: { type: 'text' | 'reasoning'; text: string } | undefined;
  return {
    add(type, piece) {
      if (last === undefined || last.type !== type) {
        last = { type, text: piece };
        parts.push(last);
      } else {
        last.text += piece;
      }
      emit(type === 'text' ? { type: 'text-delta', text: piece } : { type: 'reasoning-delta', text: piece });
    },
    list: () => parts.map(({ text, type }) => Object.freeze({ type, text })),
    text() {
      let text = '';
      for (const part of parts) if (part.type === 'text') text += part.text;
      return text;
    },
  };
}
