const NEWLINE = 10;

/**
 * Splits bytes into lines, without their ends. A line of more than `maxBytes` is reported once and skipped to its end; the chunks of a long
 * line are joined once.
 */
export function splitLines(
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let isSkipping = false;
  const add = (part: Buffer): void => {
    if (isSkipping) return;
    size += part.length;
    if (size <= maxBytes) {
      parts.push(part);
      return;
    }
    isSkipping = true;
    parts = [];
    onTooLong();
  };
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      const line = isSkipping ? undefined : Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      isSkipping = false;
      from = at + 1;
      if (line !== undefined) onLine(line);
    }
    add(chunk.subarray(from));
  };
}
