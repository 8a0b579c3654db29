import { concatBytes, fromBase64, toBase64 } from '@kernel/internal';

/** Pieces are complete texts, each with its padding, or one text that was cut anywhere. A run is base64 up to its padding. */
export interface Base64Joiner {
  /** Returns the new whole bytes as base64; undefined if the piece is not base64. */
  add(text: string): string | undefined;
  /** Undefined if the remaining bytes are not whole. */
  end(): string | undefined;
  joined(): string;
}

const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

/** Linear: at most three characters wait for the next piece. */
export function createBase64Joiner(): Base64Joiner {
  const pieces: string[] = [];
  let pending = '';

  function keep(runs: readonly string[]): string {
    const piece = joinRuns(runs);
    if (piece !== '') pieces.push(piece);
    return piece;
  }

  return {
    add(text) {
      const all = pending + text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(/\s/g, '');
      if (NOT_BASE64.test(all)) return undefined;
      // A run ends with its padding.
      const runs = all.split(/(?<==)(?!=)/);
      const last = runs.at(-1) ?? '';
      const complete = last.length - (last.length % 4);
      pending = last.slice(complete);
      const whole = [...runs.slice(0, -1), last.slice(0, complete)];
      return whole.every(isRun) && pending.length < 4 ? keep(whole) : undefined;
    },
    end() {
      const rest = pending === '' ? '' : pending.replaceAll('=', '').padEnd(4, '=');
      pending = '';
      return isRun(rest) ? keep([rest]) : undefined;
    },
    joined: () => joinRuns(pieces),
  };
}

/** Whole groups of four, the last with at most two characters of padding. */
function isRun(run: string): boolean {
  return run.length % 4 === 0 && !/^=|===|=[^=]/.test(run.slice(-4)) && !run.slice(0, -4).includes('=');
}

/** Encoded anew only if one before the last has padding. */
function joinRuns(runs: readonly string[]): string {
  const given = runs.filter((run) => run !== '');
  if (given.slice(0, -1).every((run) => !run.endsWith('='))) return given.join('');
  return toBase64(concatBytes(given.map((run) => fromBase64(run))));
}
