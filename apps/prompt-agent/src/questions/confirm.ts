import type { Output } from '../output/output.ts';
import type { Terminal } from './ask.ts';
import { askAbout } from './question.ts';

/** Shows lines and asks a question about them, see `askAbout`; true only for `y` and `yes`. Rejects with the reason of an abort. */
export async function confirm(
  terminal: Terminal,
  output: Output,
  lines: readonly string[],
  question: string,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await askAbout(terminal, output, { lines, question: [`${question} [y/N]`] }, signal);
  return isYes(answer);
}

/** Whether an answer is `y` or `yes`. */
export function isYes(answer: string | undefined): boolean {
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
