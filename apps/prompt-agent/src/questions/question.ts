import { createLock } from '@kernel/internal';
import type { Host } from '../host.ts';
import type { Output } from '../output/output.ts';
import { encodeLine, type Line, span } from '../output/terminal/spans.ts';
import { wrapLines } from '../output/terminal/wrap-lines.ts';
import { ask, type Terminal } from './ask.ts';

const DEFAULT_SIZE = { rows: 24, columns: 80 };

/** A question about lines that have to be seen before it is answered. */
export interface Question {
  readonly lines: readonly (string | Line)[];
  readonly question: readonly string[];
  /** What the answer holds at first, to be edited. */
  readonly draft?: string | undefined;
}

/** Follows each page but the last. */
const pagePrompt = (page: number, pages: number): string =>
  `(page ${page} of ${pages}: Enter shows the next page, n means no; any other answer counts only after the last page)`;

/** The turns of the questions at each terminal, by its input. */
const locks = new WeakMap<object, ReturnType<typeof createLock>>();

/**
 * Shows lines and asks a question about them, after the questions that are open at the same terminal, so that each answer belongs to one question; resolves to what was typed. Nothing of them is shortened or redacted: what is longer than the screen is shown page
 * by page, and an answer is taken after the last one. `undefined` for a no on a page before it, and for the end of the input. Rejects with the reason of an abort.
 */
export function askAbout(...asked: Parameters<typeof askInTurn>): Promise<string | undefined> {
  const [{ stdin }] = asked;
  const lock = locks.get(stdin) ?? createLock();
  locks.set(stdin, lock);
  return lock(() => askInTurn(...asked));
}

async function askInTurn(
  terminal: Terminal,
  output: Output,
  { lines, question, draft }: Question,
  signal: AbortSignal,
): Promise<string | undefined> {
  const release = output.hold();
  try {
    const { rows, columns } = sizeOf(terminal);
    const show = (shown: readonly Line[]) => (): void =>
      output.alertEncoded(shown.map((line) => encodeLine(line, output.capabilities)));
    // The question itself may be long: it names a rule.
    const wrapped = [...lines, ...question].flatMap((line) => wrapOne(line, columns));
    const promptOf = (page: number, of: number): readonly Line[] => wrapOne(pagePrompt(page, of), columns);
    const height = Math.max(1, rows - 1 - promptOf(wrapped.length, wrapped.length).length);
    const pages = Math.max(1, Math.ceil(wrapped.length / height));
    for (let page = 1; page < pages; page += 1) {
      let shown = [...wrapped.slice((page - 1) * height, page * height), ...promptOf(page, pages)];
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- one page after the other
        const typed = (await ask(terminal, show(shown), signal))?.trim();
        if (typed === '') break;
        if (typed === undefined || /^no?$/i.test(typed)) return undefined;
        shown = [
          ...wrapOne('This is not taken as an answer: there is more to see.', columns),
          ...promptOf(page, pages),
        ];
      }
    }
    return await ask(terminal, show(wrapped.slice((pages - 1) * height)), signal, draft);
  } finally {
    release();
  }
}

/** The lines of the terminal that a line takes, each in the styles of its first span. */
function wrapOne(line: string | Line, columns: number): readonly Line[] {
  const spans = typeof line === 'string' ? [span(line)] : line;
  const text = spans.map((each) => each.text).join('');
  return wrapLines([text], columns).map((piece) => [span(piece, ...(spans[0]?.styles ?? []))]);
}

function sizeOf({ stderr }: Terminal): typeof DEFAULT_SIZE {
  const { rows = 0, columns = 0 } = stderr;
  return { rows: rows > 0 ? rows : DEFAULT_SIZE.rows, columns: columns > 0 ? columns : DEFAULT_SIZE.columns };
}

/** Asks as `confirm` does; undefined if an editor gave no answer, so that none is remembered. */
export async function decide(
  host: Terminal & Pick<Host, 'editor'>,
  output: Output,
  lines: readonly string[],
  question: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (host.editor !== undefined) return host.editor.confirm(lines, question, signal);
  return isYes(await askAbout(host, output, { lines, question: [`${question} [y/N]`] }, signal));
}

/** Shows lines and asks a question about them, on the terminal, see `askAbout`, or in the editor; true only for a yes. Rejects with the reason of an abort. */
export async function confirm(...asked: Parameters<typeof decide>): Promise<boolean> {
  return (await decide(...asked)) === true;
}

export function isYes(answer: string | undefined): boolean {
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
