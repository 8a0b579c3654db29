import { sliceHead } from '@kernel/internal';

/** `1 line`, `2 lines`. */
export function count(number: number, word: string): string {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;
}

/** A text, or its beginning with a note on how much is left out. */
export function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${sliceHead(text, most)}\n… (${text.length - most} more characters)`;
}
