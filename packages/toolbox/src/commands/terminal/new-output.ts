import { sliceHead } from '@kernel/internal';

const MAX_BEGIN = 200;
const MAX_TRIES = 20;
const LEFT_OUT = '… (what was before is left out) …\n';

/** What of the output of a terminal was not there before. Lines that were written over, as a terminal shows them, are new again. */
export function newOutput(
  before: string,
  { isTruncated, text }: { readonly isTruncated: boolean; readonly text: string },
): string {
  if (text.startsWith(before)) return before === '' && isTruncated ? LEFT_OUT + text : text.slice(before.length);
  if (!isTruncated) return text.slice(text.lastIndexOf('\n', commonLength(before, text) - 1) + 1);
  // Its beginning was dropped: what begins it now was in the middle before.
  const [line = ''] = text.split('\n', 1);
  const begin = sliceHead(line === '' ? text : line, MAX_BEGIN);
  let at = before.indexOf(begin);
  for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries += 1) {
    if (text.startsWith(before.slice(at))) return text.slice(before.length - at);
    at = before.indexOf(begin, at + 1);
  }
  return LEFT_OUT + text;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
