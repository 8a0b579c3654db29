/** Shortens a text to at most `length` characters, the last of them `…`. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${sliceHead(text, Math.max(0, length - 1))}…`;
}

/** The first `length` UTF-16 code units of a text, or one less where that would split a surrogate pair. */
export function sliceHead(text: string, length: number): string {
  const head = text.slice(0, length);
  return head.length < text.length && /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head;
}

/** The last `length` UTF-16 code units of a text, or one less where that would split a surrogate pair. */
export function sliceTail(text: string, length: number): string {
  if (length === 0) return '';
  const tail = text.slice(-length);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
