import { Script, createContext } from 'node:vm';
import { isObject } from '@kernel/internal';
import { quote, toolError } from '../../workspace/errors.ts';

/** How long a pattern may take on one piece of a file, in milliseconds. */
const MAX_MS = 1000;
/** How many times as long it may take on a machine that is so busy that it got almost no processor time. */
const MAX_PATIENCE = 8;

export type Matcher = (text: string, path: string) => readonly Hit[];

export interface Hit {
  readonly line: number;
  readonly text: string;
  readonly at: number;
}

export interface Query {
  readonly query: string;
  readonly regex: boolean;
}

/** Whether the case of letters counts: only if the query has an upper-case one. */
export function isAnyCase({ query, regex }: Query): boolean {
  return regex ? !/(?<!\\)\p{Lu}/u.test(query) : query === query.toLowerCase();
}

/** A text as written, and in the Unicode forms that look the same and mean the same: composed letters, and letters with their marks. */
export function formsOf(text: string): readonly string[] {
  return [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
}

export function createMatcher(query: Query, most: number): Matcher {
  const flags = isAnyCase(query) ? 'iu' : 'u';
  if (!query.regex) return literalMatcher(new RegExp(formsOf(query.query).map(escapePattern).join('|'), flags), most);
  try {
    return patternMatcher(new RegExp(query.query, flags), most);
  } catch (error) {
    throw toolError(
      `${quote(query.query)} is not a regular expression: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

function literalMatcher(wanted: RegExp, most: number): Matcher {
  return (text) => (wanted.test(text) ? linesThat(text, wanted, most) : []);
}

/** A pattern of the model can take exponential time, so that it runs where it can be ended. */
function patternMatcher(pattern: RegExp, most: number): Matcher {
  let text = '';
  let hits: readonly Hit[] = [];
  const run = (): void => {
    hits = linesThat(text, pattern, most);
  };
  const context = createContext({ run });
  const script = new Script('run()');
  return (whole, path) => {
    text = whole;
    for (let limitMs = MAX_MS; ; limitMs *= 2) {
      const before = process.cpuUsage();
      try {
        script.runInContext(context, { timeout: limitMs });
        return hits;
      } catch (error) {
        const isTimeout = isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
        if (!isTimeout) throw error;
        const usedMs = process.cpuUsage(before).user / 1000;
        if (usedMs < MAX_MS / 2 && limitMs < MAX_PATIENCE * MAX_MS) continue;
        throw toolError(
          `The pattern takes more than ${MAX_MS} ms on ${quote(path)}; write one without nested repetition.`,
          error,
        );
      }
    }
  };
}

function linesThat(text: string, wanted: RegExp, most: number): readonly Hit[] {
  const hits: Hit[] = [];
  let line = 0;
  for (let start = 0; start < text.length && hits.length < most;) {
    const end = text.indexOf('\n', start);
    const next = end === -1 ? text.length : end;
    line += 1;
    const whole = text.slice(start, next);
    const shown = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    const at = shown.search(wanted);
    if (at !== -1) hits.push({ line, text: shown, at });
    start = next + 1;
  }
  return hits;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
