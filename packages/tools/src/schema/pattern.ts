/** Compiles a schema's pattern as ECMA-262 with Unicode; one that is only legal without Unicode is read without. Throws a SyntaxError. */
export function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** How long the patterns of a schema may take over their hostile texts: in all, in one go, and one of them alone. */
const BUDGET_MS = 120;
const GO_MS = 60;
const ONE_MS = 30;
/** How long a hostile text is: enough to tell cubic from quadratic; less where there are many patterns to try. */
const LENGTH = 1_500;
const SHORTEST = 300;
const AT_FULL_LENGTH = 20;
/** Longer texts meet a pattern that backtracks only within a time limit: a quadratic one is fine for short texts alone. */
const LONG_TEXT = 2_000;
const LONG_TEXT_MS = 200;

/** Returns a test for a schema's pattern that never hangs: a long text that takes too long does not match. Throws a SyntaxError. */
export function toTextTest(source: string): (text: string) => boolean {
  const pattern = toPattern(source);
  if (!canBacktrack(source)) return (text) => pattern.test(text);
  return (text) => {
    if (text.length <= LONG_TEXT) return pattern.test(text);
    return matchWithin({ pattern, texts: [text] }, LONG_TEXT_MS)?.[0] === true;
  };
}

/**
 * Returns the first of some patterns that backtracks without end, found by trying each on texts made from its own characters.
 *
 * A pattern with at most one repetition cannot, and is not tried. Ends within about 130 ms.
 */
export function findSlowPattern(sources: readonly string[]): string | undefined {
  const end = performance.now() + BUDGET_MS;
  const risky = [...new Set(sources)].filter((source) => canBacktrack(source));
  const length = Math.max(SHORTEST, Math.floor((LENGTH * AT_FULL_LENGTH) / Math.max(AT_FULL_LENGTH, risky.length)));
  const trials = risky.map((source) => ({ pattern: toPattern(source), texts: hostileTexts(source, length) }));
  for (let from = 0; from < trials.length;) {
    const left = Math.floor(end - performance.now());
    const stuck = left < 1 ? from : firstTooSlow(trials, from, Math.min(left, GO_MS));
    const trial = stuck === undefined ? undefined : trials[stuck];
    if (stuck === undefined || trial === undefined) return undefined;
    // It may have been stopped for what came before it: alone it gets time of its own.
    if (left <= ONE_MS || matchWithin(trial, ONE_MS) === undefined) return risky[stuck];
    from = stuck + 1;
  }
  return undefined;
}

/** A pattern and the texts to try it on. */
export interface Trial {
  readonly pattern: RegExp;
  readonly texts: readonly string[];
}

const MATCH = `trials.map(({ source, flags, texts }, index) => {
  progress.at = from + index;
  const pattern = new RegExp(source, flags);
  return texts.map((text) => pattern.test(text));
})`;

/** Says which texts a pattern matches, or returns `undefined` when that takes longer than `limitMs` in all. Never hangs. */
export function matchWithin(trial: Trial, limitMs: number): readonly boolean[] | undefined {
  return tryAll([trial], 0, limitMs).found?.[0];
}

function firstTooSlow(trials: readonly Trial[], from: number, limitMs: number): number | undefined {
  const { found, at } = tryAll(trials.slice(from), from, limitMs);
  return found === undefined ? at : undefined;
}

function tryAll(
  trials: readonly Trial[],
  from: number,
  limitMs: number,
): { readonly found?: readonly (readonly boolean[])[]; readonly at: number } {
  // Only here: importing this module loads no Node module.
  const vm = process.getBuiltinModule('node:vm');
  const progress = { at: from };
  const plain = trials.map(({ pattern, texts }) => ({ source: pattern.source, flags: pattern.flags, texts }));
  try {
    const found: unknown = vm.runInNewContext(MATCH, { trials: plain, progress, from }, { timeout: limitMs });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script above makes nothing else
    return { found: found as readonly (readonly boolean[])[], at: progress.at };
  } catch {
    return { at: progress.at };
  }
}

/** Whether a pattern has more than one way to read a text: repetitions of a group or a choice, or several of them, or one from any start. */
function canBacktrack(source: string): boolean {
  const plain = source.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/gs, '_');
  const repetitions = plain.match(/[*+]|\{\d+,?\d*\}/g)?.length ?? 0;
  const maybes = plain.match(/\?/g)?.length ?? 0;
  if (repetitions === 0) return maybes > 6;
  return repetitions > 1 || maybes > 6 || /[(|]/.test(plain) || !plain.startsWith('^');
}

/** Texts that make an ambiguous pattern try every way to read them: runs of its own characters with an end that cannot match. */
function hostileTexts(source: string, length: number): readonly string[] {
  const seeds = samples(source);
  const pairs = seeds.slice(0, 6).flatMap((a, index) => seeds.slice(index + 1, 6).map((b) => a + b));
  const literal = source.replaceAll(/[^A-Za-z0-9@._-]/g, '').slice(0, 20);
  const units = [...seeds, ...pairs, ...(literal === '' ? [] : [literal])];
  return units.flatMap((unit) => {
    const run = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    return [`${run}\u0000`, `${run}!\n`];
  });
}

/** One character for each kind that the pattern names. */
function samples(source: string): readonly string[] {
  const found = new Set<string>(['a']);
  if (/\\d|0-9/.test(source)) found.add('0');
  if (/\\w|\\D|\\S/.test(source)) found.add('b');
  if (/\\s| /.test(source)) found.add(' ');
  for (const [, escaped, plain] of source.matchAll(/\\(.)|([A-Za-z0-9 @.,;:_\-/#=<>"'%&!~])/gs)) {
    if (found.size >= 16) break;
    if (plain !== undefined) found.add(plain);
    else if (escaped !== undefined && !/[A-Za-z0-9]/.test(escaped)) found.add(escaped);
  }
  return [...found];
}
