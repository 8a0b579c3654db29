/** Each character is examined once. */
export interface ArgumentScan {
  piece: number;
  depth: number;
  inString: boolean;
  escaped: boolean;
  complete: boolean;
}

export function createScan(): ArgumentScan {
  return { piece: 0, depth: 0, inString: false, escaped: false, complete: false };
}

/** Whether the pieces so far are a whole value. */
export function isComplete({
  argumentPieces,
  scan,
}: {
  readonly argumentPieces: readonly string[];
  readonly scan: ArgumentScan;
}): boolean {
  for (; scan.piece < argumentPieces.length; scan.piece += 1) scanPiece(scan, argumentPieces[scan.piece] ?? '');
  return scan.complete;
}

function scanPiece(scan: ArgumentScan, piece: string): void {
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (scan.escaped) scan.escaped = false;
    else if (scan.inString) {
      if (code === 0x5c) scan.escaped = true;
      else if (code === 0x22) scan.inString = false;
    } else if (code === 0x22) scan.inString = true;
    else if (code === 0x7b || code === 0x5b) scan.depth += 1;
    else if (code === 0x7d || code === 0x5d) scan.depth -= 1;
    // At depth 0, outside of a string, a value has ended (or only white space was seen).
    if (!scan.inString && scan.depth === 0 && code > 0x20) scan.complete = true;
    else if (scan.inString || scan.depth !== 0) scan.complete = false;
  }
}
