import { node } from '@kernel/internal';

/** The rest of a text from `start`. A short one is copied: as a slice it would keep the whole text, often 64 KiB, alive until the next one arrives. */
export function copyTail(text: string, start: number): string {
  const tail = text.slice(start);
  if (node.Buffer === undefined || tail.length * 2 > text.length) return tail;
  return node.Buffer.from(tail).toString();
}
