import { createSearch } from '@kernel/schema';
import { quote, toolError } from '../../workspace/errors.ts';

/** How many steps a pattern may take on one piece of a file. */
const MAX_STEPS = 50_000_000;

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
  return (text) => (wanted.test(text) ? linesThat(text, (line) => line.search(wanted), most) : []);
}

/** Of a pattern that takes too many steps on a piece of a file, the model learns why. */
function patternMatcher(pattern: RegExp, most: number): Matcher {
  const search = createSearch(pattern);
  return (text, path) => {
    const budget = { left: MAX_STEPS };
    try {
      return linesThat(text, (line) => search(line, budget), most);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw toolError(`The pattern takes too many steps on ${quote(path)}; write one without back references.`, error);
    }
  };
}

function linesThat(text: string, search: (line: string) => number, most: number): readonly Hit[] {
  const hits: Hit[] = [];
  let line = 0;
  for (let start = 0; start < text.length && hits.length < most;) {
    const end = text.indexOf('\n', start);
    const next = end === -1 ? text.length : end;
    line += 1;
    const whole = text.slice(start, next);
    const shown = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    const at = search(shown);
    if (at !== -1) hits.push({ line, text: shown, at });
    start = next + 1;
  }
  return hits;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
