/** Cuts a stream of bytes into lines. The pieces of a long line are joined once. */
export interface LineReader {
  /** Gives each line that is complete to `onLine`, without its end. Returns false, from then on, when a line is longer than the limit. */
  push(chunk: Buffer): boolean;
}

/** Creates a reader of lines of at most `longestBytes`. */
export function createLineReader(longestBytes: number, onLine: (line: string) => void): LineReader {
  let pieces: Buffer[] = [];
  let waiting = 0;
  return {
    push(chunk) {
      if (waiting > longestBytes) return false;
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        pieces.push(chunk.subarray(from, end));
        const line = Buffer.concat(pieces).toString('utf8');
        pieces = [];
        waiting = 0;
        from = end + 1;
        onLine(line);
      }
      if (from < chunk.length) pieces.push(chunk.subarray(from));
      waiting += chunk.length - from;
      if (waiting <= longestBytes) return true;
      pieces = [];
      return false;
    },
  };
}
