import { attempt } from '@kernel/internal';

const MAX_ALTERNATIVES = 500;
const MAX_LENGTH = 2000;

/** A test of a path that has `/` between its names. */
export type PathTest = (path: string) => boolean;

type Token =
  | { readonly type: 'character'; readonly is: string }
  | { readonly type: 'any' }
  | { readonly type: 'star' }
  | { readonly type: 'class'; readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] };

type Segment = '**' | readonly Token[];

/**
 * Compiles a glob over whole paths: `*` and `?` match within a name, `**` any number of names, `[a-z]` and `[!a-z]` one character, `{a,b}` either;
 * `\` escapes the next character. Names that begin with a dot are like any other. Matching takes time linear in the path, whatever the glob.
 *
 * Throws a `RangeError` for a glob beyond 2,000 characters, or whose braces expand to more than 500 globs.
 *
 * @example
 * ```ts
 * import { compileGlob } from '@kernel/toolbox/workspace';
 *
 * const isSource = compileGlob('src/*.{ts,tsx}');
 * isSource('src/b.ts'); // true
 * ```
 */
export function compileGlob(glob: string): PathTest {
  return compileAlternatives(expandGlob(glob, false));
}

/**
 * Compiles a glob whose brackets and braces count as what they stand for and as themselves: `[id].{ts,tsx}` matches `i.ts`, `[id].ts` and
 * `[id].{ts,tsx}`. For what takes something away, and for what only looks. Throws as `compileGlob` does.
 */
export function compileEitherGlob(glob: string): PathTest {
  const plain = expandGlob(glob, false);
  // If there are too many ways to read the braces, all of them are read one way, or all the other.
  return compileAlternatives(attempt(() => expandGlob(glob, true)) ?? [...plain, literalBrackets(glob)]);
}

/** A glob whose brackets and braces are ordinary characters; `*`, `**`, `?` and what is escaped stay. For what gives something: it never stands for other names. */
export function literalBrackets(glob: string): string {
  return glob.replaceAll(/\\[^]|[[\]{}]/g, (found) => (found.startsWith('\\') ? found : `\\${found}`));
}

export function escapeGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}|]/g, String.raw`\$&`);
}

function compileAlternatives(globs: readonly string[]): PathTest {
  const alternatives = globs.map((each) => splitNames(each).map(parseName));
  return (path) => {
    const names = path.split('/').map((name) => Array.from(name));
    return alternatives.some((segments) => matchNames(segments, names));
  };
}

/** The globs that one stands for: those of its braces, and with `isEither` also those in which brackets and braces are ordinary characters. */
function expandGlob(glob: string, isEither: boolean): readonly string[] {
  if (glob.length > MAX_LENGTH) throw new RangeError(`The glob is longer than ${MAX_LENGTH} characters.`);
  let done = [''];
  let at = 0;
  while (at < glob.length) {
    const { end, readings } = readPiece(glob, at, isEither);
    if (done.length * readings.length > MAX_ALTERNATIVES)
      throw new RangeError(`The braces of the glob stand for more than ${MAX_ALTERNATIVES} globs.`);
    done = done.flatMap((each) => readings.map((part) => each + part));
    at = end;
  }
  return done;
}

/** What stands at a position: an escape, a character, a set in brackets or a list in braces. Braces that do not close, or hold no comma, are characters. */
function readPiece(
  glob: string,
  at: number,
  isEither: boolean,
): { readonly end: number; readonly readings: readonly string[] } {
  const brace = glob[at] === '{' ? readBrace(glob, at) : undefined;
  const literal = (end: number): readonly string[] => (isEither ? [literalBrackets(glob.slice(at, end))] : []);
  if (brace !== undefined)
    return {
      end: brace.end,
      readings: [...brace.parts.flatMap((part) => expandGlob(part, isEither)), ...literal(brace.end)],
    };
  const set = isEither && glob[at] === '[' ? SET.exec(glob.slice(at))?.[0] : undefined;
  const end = at + (set?.length ?? (glob[at] === '\\' ? 2 : 1));
  const piece = glob.slice(at, end);
  return { end, readings: set === undefined ? [piece] : [piece, ...literal(end)] };
}

/** A set in brackets, as `readClass` reads it. */
const SET = /^\[[!^]?[^/][^\]/]*\]/;

function readBrace(
  glob: string,
  start: number,
): { readonly parts: readonly string[]; readonly end: number } | undefined {
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      parts.push(glob.slice(from, at));
      from = at + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth > 0) continue;
      return parts.length === 0 ? undefined : { parts: [...parts, glob.slice(from, at)], end: at + 1 };
    }
  }
  return undefined;
}

function splitNames(glob: string): readonly string[] {
  return glob.split('/').filter((name, index, all) => name !== '**' || all[index - 1] !== '**');
}

function parseName(name: string): Segment {
  if (name === '**') return '**';
  const tokens: Token[] = [];
  const characters = Array.from(name);
  for (let at = 0; at < characters.length; at += 1) {
    const is = characters[at] ?? '';
    const set = is === '[' ? readClass(characters, at) : undefined;
    if (set !== undefined) {
      tokens.push(set.token);
      at = set.end;
    } else if (is === '*') {
      if (tokens.at(-1)?.type !== 'star') tokens.push({ type: 'star' });
    } else if (is === '?') tokens.push({ type: 'any' });
    else if (is === '\\' && at + 1 < characters.length) {
      at += 1;
      tokens.push({ type: 'character', is: characters[at] ?? '' });
    } else tokens.push({ type: 'character', is });
  }
  return tokens;
}

function readClass(all: readonly string[], start: number): { readonly token: Token; readonly end: number } | undefined {
  const isNegated = all[start + 1] === '!' || all[start + 1] === '^';
  const ranges: (readonly [string, string])[] = [];
  const first = start + (isNegated ? 2 : 1);
  for (let at = first; at < all.length; at += 1) {
    const from = all[at] ?? '';
    if (from === ']' && at > first) return { token: { type: 'class', isNegated, ranges }, end: at };
    const to = all[at + 2];
    const isRange = all[at + 1] === '-' && to !== undefined && to !== ']';
    ranges.push([from, isRange ? to : from]);
    if (isRange) at += 2;
  }
  return undefined;
}

/** Greedy, with a step back to the last `**` only: what came before it need not be tried again. */
function matchNames(segments: readonly Segment[], names: readonly (readonly string[])[]): boolean {
  return matchSequence(
    segments.length,
    names.length,
    (index) => segments[index] === '**',
    (index, at) => {
      const segment = segments[index];
      return segment !== undefined && segment !== '**' && matchName(segment, names[at] ?? []);
    },
  );
}

function matchName(tokens: readonly Token[], name: readonly string[]): boolean {
  return matchSequence(
    tokens.length,
    name.length,
    (index) => tokens[index]?.type === 'star',
    (index, at) => matchToken(tokens[index], name[at] ?? ''),
  );
}

function matchToken(token: Token | undefined, character: string): boolean {
  if (token === undefined || token.type === 'star') return false;
  if (token.type === 'any') return true;
  if (token.type === 'character') return token.is === character;
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.isNegated;
}

/** Matches a sequence in which some elements stand for any number of items, by stepping back to the last of them. */
function matchSequence(
  length: number,
  items: number,
  isStar: (index: number) => boolean,
  matches: (index: number, at: number) => boolean,
): boolean {
  let index = 0;
  let at = 0;
  let star = -1;
  let retry = 0;
  while (at < items) {
    if (index < length && isStar(index)) {
      star = index;
      index += 1;
      retry = at;
    } else if (index < length && matches(index, at)) {
      index += 1;
      at += 1;
    } else if (star === -1) return false;
    else {
      index = star + 1;
      retry += 1;
      at = retry;
    }
  }
  while (index < length && isStar(index)) index += 1;
  return index === length;
}
