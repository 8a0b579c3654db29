/** Compiles a schema's pattern as ECMA-262 with Unicode; one that is only legal without Unicode is read without. Throws a SyntaxError. */
export function toPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/** How long all patterns of a schema may take over their hostile texts together, and one of them alone. */
const ALL_MS = 60;
const ONE_MS = 40;
const BUDGET_MS = 170;
const LENGTH = 4_000;

/**
 * Returns the first of some patterns that backtracks without end, found by trying each on texts made from its own characters.
 *
 * A pattern with at most one repetition cannot, and is not tried. Ends within about 180 ms.
 */
export function findSlowPattern(sources: readonly string[]): string | undefined {
  const end = performance.now() + BUDGET_MS;
  const risky = [...new Set(sources)].filter((source) => canBacktrack(source));
  if (risky.length === 0) return undefined;
  const trials = risky.map((source) => ({ source, pattern: toPattern(source), texts: hostileTexts(source) }));
  if (matchWithin(trials, ALL_MS) !== undefined) return undefined;
  for (const trial of trials) {
    const left = Math.floor(end - performance.now());
    if (left < 1 || matchWithin([trial], Math.min(ONE_MS, left)) === undefined) return trial.source;
  }
  return undefined;
}

/** A pattern and the texts to try it on. */
export interface Trial {
  readonly pattern: RegExp;
  readonly texts: readonly string[];
}

const MATCH = `trials.map(({ source, flags, texts }) => {
  const pattern = new RegExp(source, flags);
  return texts.map((text) => pattern.test(text));
})`;

/** Says which texts each pattern matches, or returns `undefined` when that takes longer than `limitMs` in all. Never hangs. */
export function matchWithin(trials: readonly Trial[], limitMs: number): readonly (readonly boolean[])[] | undefined {
  // Only here: importing this module loads no Node module.
  const vm = process.getBuiltinModule('node:vm');
  const plain = trials.map(({ pattern, texts }) => ({ source: pattern.source, flags: pattern.flags, texts }));
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script above makes nothing else
    return vm.runInNewContext(
      MATCH,
      { trials: plain },
      {
        timeout: limitMs,
      },
    ) as readonly (readonly boolean[])[];
  } catch {
    return undefined;
  }
}

function canBacktrack(source: string): boolean {
  const repetitions = source.replaceAll(/\\./gs, '_').match(/[*+]|\{\d+,?\d*\}/g) ?? [];
  return repetitions.length > 1 || (repetitions.length === 1 && !source.startsWith('^'));
}

/** Texts that make an ambiguous pattern try every way to read them: runs of its own characters with an end that cannot match. */
function hostileTexts(source: string): readonly string[] {
  const seeds = samples(source);
  const pairs = seeds.slice(0, 6).flatMap((a, index) => seeds.slice(index + 1, 6).map((b) => a + b));
  const literal = source.replaceAll(/[^A-Za-z0-9@._-]/g, '').slice(0, 20);
  const units = [...seeds, ...pairs, ...(literal === '' ? [] : [literal])];
  return units.flatMap((unit) => {
    const run = unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
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
