import { sliceHead } from '@kernel/internal';
/** The most characters of a tool's result that a terminal is given: about six hundred full lines. */
const MAX_SHOWN = 50_000;

export interface CutText {
  readonly text: string;
  /** What was left out and how to get it, for stderr; absent if nothing was. */
  readonly note?: string;
}

/** Cuts the result of a tool for a terminal. In a pipe or a file it stays whole. */
export function cutForTerminal(text: string): CutText {
  if (text.length <= MAX_SHOWN) return { text };
  const lineEnd = text.lastIndexOf('\n', MAX_SHOWN);
  const shown = sliceHead(text, lineEnd > 0 ? lineEnd : MAX_SHOWN);
  const numbers = new Intl.NumberFormat('en');
  return {
    text: shown,
    note: `cut: the first ${numbers.format(shown.length)} of ${numbers.format(text.length)} characters are shown; add > FILE or | less for the rest`,
  };
}
