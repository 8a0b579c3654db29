import type { CallView, RunView } from '../../sessions/transcript.ts';

/** How much of arguments and results a page has in all, in characters: more makes browsers slow. */
const MAX_DETAILS = 10_000_000;

/**
 * Creates what the parts of one page share: ids, and the style rules of single elements, which no attribute may hold under the page's policy. Ids are
 * counted: no text of the session is in one.
 */
export function createPageParts() {
  const ids = new Map<object, string>();
  const rules: string[] = [];
  let left = MAX_DETAILS;
  const idOf = (key: object, letter: string): string => {
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = `${letter}${ids.size + 1}`;
    ids.set(key, id);
    return id;
  };
  return {
    callId: (call: CallView): string => idOf(call, 'c'),
    /** The id of a turn: its place in a run. */
    turnId: (run: RunView, index: number): string => `${idOf(run, 'r')}-${index + 1}`,
    styled(declarations: string): string {
      const id = `s${rules.length + 1}`;
      rules.push(`#${id}{${declarations}}`);
      return id;
    },
    /** Takes this many characters for details of what the page may still have of them, and returns how many it got. */
    take(length: number): number {
      const taken = Math.min(length, left);
      left -= taken;
      return taken;
    },
    rules: (): string => rules.join('\n'),
  };
}

export type PageParts = ReturnType<typeof createPageParts>;

/** What went wrong with a call, in a word or two; undefined if nothing did. */
export function failureOf({ isError, outcome, durationMs, startMs }: CallView): string | undefined {
  if (isError) return outcome ?? 'failed';
  if (durationMs === undefined) return startMs === undefined ? 'not begun' : 'no result';
  return undefined;
}
