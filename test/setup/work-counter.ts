/**
 * Counts the work of this process. Load it with `--import` and `--allow-natives-syntax`, before the code that is
 * counted: V8 counts blocks only in code that it compiles from then on. Without an optimizing compiler (`--no-opt
 * --no-maglev`) the same work allocates the same bytes.
 */
import { Session } from 'node:inspector';
import { getCompileCacheDir } from 'node:module';
import { getHeapStatistics } from 'node:v8';

/** What some work did. */
export interface Work {
  /** How often blocks of JavaScript ran, outside of Node and Vitest. */
  readonly blocks: number;
  /** The characters or members that built-in functions passed over. */
  readonly natives: number;
  /** The characters that regular expressions passed over, and their backtracks. */
  readonly patterns: number;
  /** What was allocated on the heap: a copy runs no block, but allocates. */
  readonly bytes: number;
}

const session = new Session();
session.connect();

/** Within one thread the answer is there when `post` returns. */
function post(method: string, parameters: object = {}): object {
  let answer: object = {};
  session.post(method, parameters, (error, result: object = {}) => {
    if (error !== null) throw new Error(`${method}: ${error.message}`);
    answer = result;
  });
  return answer;
}

if (getCompileCacheDir() !== undefined) throw new Error('Code of the compile cache counts no blocks.');
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const ROOT = new URL('../../', import.meta.url).href;
const COUNTED = /^(?:packages|apps|node_modules)\//;
const OF_VITEST = /^node_modules\/(?:\.pnpm\/)?(?:@?vitest|vite|chai|expect|tinyrainbow)\b/;

/** Whether a script is of a package, or of what it imports. */
function isCounted(url: string): boolean {
  const path = url.startsWith(ROOT) ? url.slice(ROOT.length) : '';
  return COUNTED.test(path) && !OF_VITEST.test(path);
}

/** The blocks that ran since the last time. */
function takeBlocks(): number {
  let sum = 0;
  for (const { url, functions } of (post('Profiler.takePreciseCoverage') as Coverage).result)
    if (isCounted(url)) for (const { ranges } of functions) for (const { count } of ranges) sum += count;
  return sum;
}

let isCounting = false;
let natives = 0;
let patterns = 0;
/** What the counter itself allocates, mostly programs of patterns. */
let ownBytes = 0;

type Method = (this: unknown, ...values: unknown[]) => unknown;
type Cost = (self: unknown, values: readonly unknown[], result: unknown) => number;

/** Counts what a function costs, also if it throws. */
function countCalls(owner: object, names: readonly PropertyKey[], cost: Cost): void {
  for (const name of names) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    const original = descriptor?.value as Method | undefined;
    if (original === undefined) continue;
    const { counted } = {
      counted(this: unknown, ...values: unknown[]): unknown {
        if (!isCounting) return Reflect.apply(original, this, values);
        let result: unknown;
        try {
          result = Reflect.apply(original, this, values);
          return result;
        } finally {
          isCounting = false;
          natives += 1 + cost(this, values, result);
          isCounting = true;
        }
      },
    };
    Object.defineProperty(owner, name, { ...descriptor, value: counted });
  }
}

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array ? value.length : 0;
const ofSelf: Cost = (self) => lengthOf(self);
const ofFirst: Cost = (_, [first]) => lengthOf(first);
const ofResult: Cost = (_self, _values, result) => lengthOf(result);

/** How many characters of `part` are at `at`. */
function commonLength(text: string, part: string, at: number): number {
  let length = 0;
  while (length < part.length && text.charCodeAt(at + length) === part.charCodeAt(length)) length += 1;
  return length;
}

const { indexOf } = String.prototype;
/** A search may compare much of the part at each place, so that all of it counts. */
function ofSearch(self: unknown, [part, start]: readonly unknown[]): number {
  const [text, sought] = [String(self), String(part)];
  const from = Math.min(Math.max(Number(start ?? 0), 0), text.length);
  const found: number = Reflect.apply(indexOf, text, [sought, from]);
  const end = found === -1 ? text.length : found + sought.length;
  if (sought.length < 16) return end - from;
  let compared = 0;
  for (let at = from; at < (found === -1 ? end : found); at += 1) compared += 1 + commonLength(text, sought, at);
  return compared + (found === -1 ? 0 : sought.length);
}

/** Text that is at most so long is copied; longer parts share it. */
const COPIED = 13;
/** An array that shifts moves at most so many members; a longer one is trimmed. */
const SHIFTED = 100;
/** A method that takes a pattern comes to `exec`, which counts. */
const unlessPattern =
  (cost: Cost): Cost =>
  (self, values, result) =>
    values[0] instanceof RegExp ? 0 : cost(self, values, result);

countCalls(String.prototype, ['indexOf', 'includes'], ofSearch);
countCalls(String.prototype, ['lastIndexOf'], (self, [, from], at) => {
  const start = Math.min(from === undefined ? lengthOf(self) : Number(from), lengthOf(self));
  return start - Math.max(Number(at), 0);
});
countCalls(String.prototype, ['startsWith'], (self, [part, at]) =>
  commonLength(String(self), String(part), Number(at ?? 0)),
);
countCalls(String.prototype, ['endsWith'], ofFirst);
countCalls(String.prototype, ['trim', 'trimStart', 'trimEnd'], (self, _, result) => lengthOf(self) - lengthOf(result));
countCalls(String.prototype, ['split', 'replace', 'replaceAll', 'search', 'match', 'matchAll'], unlessPattern(ofSelf));
countCalls(String.prototype, ['toLowerCase', 'toUpperCase', 'toLocaleLowerCase', 'toLocaleUpperCase'], ofSelf);
countCalls(String.prototype, ['normalize', 'isWellFormed', 'toWellFormed', 'localeCompare'], ofSelf);
countCalls(String.prototype, ['repeat', 'padStart', 'padEnd'], ofResult);
countCalls(String.prototype, ['slice', 'substring', 'concat'], (_self, _values, text) =>
  Math.min(lengthOf(text), COPIED),
);
countCalls(Array.prototype, ['indexOf'], (self, [, from], at) =>
  at === -1 ? lengthOf(self) : Number(at) - Number(from ?? 0),
);
const arrayIndexOf = Array.prototype.indexOf as Method;
countCalls(Array.prototype, ['includes'], (self, values, isFound) =>
  isFound === true ? Number(Reflect.apply(arrayIndexOf, self, values)) : lengthOf(self),
);
countCalls(Array.prototype, ['slice'], ofResult);
/** One text alone is not copied. */
countCalls(Array.prototype, ['join'], (self, _, text) => (lengthOf(self) < 2 ? 0 : lengthOf(text)));
countCalls(Array.prototype, ['flat', 'toSpliced'], (self, _, result) => lengthOf(self) + lengthOf(result));
/** What was taken out, and what moves behind it. */
countCalls(Array.prototype, ['splice'], (self, [start], result) => {
  const from = Number(start ?? 0);
  return lengthOf(result) + (from < 0 ? -from : Math.max(0, lengthOf(self) - from));
});
countCalls(Array.prototype, ['lastIndexOf', 'reverse', 'toReversed', 'sort', 'toSorted', 'with'], ofSelf);
countCalls(Array.prototype, ['concat', 'fill', 'copyWithin', 'unshift'], ofSelf);
countCalls(Array.prototype, ['shift'], (self) => Math.min(lengthOf(self), SHIFTED));
countCalls(Array, ['from', 'of'], ofResult);
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
countCalls(typedArray, ['slice', 'toReversed'], ofResult);
countCalls(typedArray, ['set'], ofFirst);
for (const owner of [typedArray, Buffer.prototype]) {
  countCalls(owner, ['indexOf'], (self, [, from], at) =>
    at === -1 ? lengthOf(self) - Number(from ?? 0) : Number(at) - Number(from ?? 0),
  );
  countCalls(
    owner,
    ['lastIndexOf', 'includes', 'fill', 'copyWithin', 'join', 'equals', 'compare', 'copy', 'write'],
    ofSelf,
  );
}
countCalls(Buffer.prototype, ['toString'], ofResult);
countCalls(Buffer, ['from', 'byteLength'], ofFirst);
countCalls(Buffer, ['concat'], ofResult);
countCalls(JSON, ['parse'], ofFirst);
countCalls(JSON, ['stringify'], ofResult);
countCalls(Object, ['keys', 'values', 'entries'], ofResult);
countCalls(Object, ['fromEntries'], ofFirst);
countCalls(TextEncoder.prototype, ['encode'], ofFirst);
countCalls(TextDecoder.prototype, ['decode'], ofFirst);

// oxlint-disable-next-line typescript/no-implied-eval -- the syntax is that of `--allow-natives-syntax`, which no parser of a file takes
const withBacktrackLimit = new Function(
  'source, flags, limit',
  'return %NewRegExpWithBacktrackLimit(source, flags, limit)',
) as (source: string, flags: string, limit: number) => RegExp;
const { exec } = RegExp.prototype;
/** Shorter text is read in less than a constant, and so is not tried. */
const SHORT = 256;
/** Fewer backtracks for each character that is passed don't count: the characters do. */
const FEW = 8;
/** A pattern that needs more backtracks counts as so many. */
const MAX_BACKTRACKS = 1 << 24;
const limited = new Map<string, RegExp>();
/** An escape, a class, what opens a group, a quantifier with braces, or a character. */
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|k<[^>]*>|[^])|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:<?[=!]|<\w+>|:)?|\{\d+(?:,\d*)?\}|[^]/g;

/** The same pattern with groups around all that repeats: V8 counts no backtracks of a loop without one. */
function withGroups(source: string): string {
  // The groups would change what a number means.
  if (/\\[1-9]/.test(source)) return source;
  const tokens = source.match(TOKEN) ?? [];
  return tokens
    .map((token, at) => {
      if (token === '(?:') return '(';
      const isAtom = !/^(?:[\^$|()*+?]|\(\?|\{\d)/.test(token);
      return isAtom && /^(?:[*+]|\{\d)/.test(tokens[at + 1] ?? '') ? `(${token})` : token;
    })
    .join('');
}

/** Whether a match needs at most so many backtracks. */
function isWithin(limit: number, pattern: RegExp, text: string, from: number): boolean {
  const { source, flags } = pattern;
  const key = `${flags}/${limit}/${source}`;
  // Searches as the pattern does, then matches nothing: it fails only at its limit.
  const program =
    limited.get(key) ??
    withBacktrackLimit(
      `(?:${isAnchored(pattern) ? '' : '[^]*?'}(?:${withGroups(source)}))|()`,
      `${flags.replace(/[gyd]/g, '')}y`,
      limit,
    );
  limited.set(key, program);
  program.lastIndex = from;
  return Reflect.apply(exec, program, [text]) !== null;
}

/**
 * The backtracks of a match that passed so many characters, to the next power of two: programs with a limit are tried
 * until one ends below it.
 */
function backtracks(pattern: RegExp, text: string, from: number, passed: number): number {
  // A small integer: V8 takes no other.
  const few = 1 << Math.ceil(Math.log2(FEW * (passed + 64)));
  if (isWithin(few, pattern, text, from)) return 0;
  let limit = 2 * few;
  while (limit < MAX_BACKTRACKS && !isWithin(limit, pattern, text, from)) limit *= 2;
  return limit;
}

const anchored = new Map<string, boolean>();

/** Whether a pattern is tried at one place only. */
function isAnchored({ source, sticky, multiline }: RegExp): boolean {
  if (sticky || multiline) return sticky;
  const known = anchored.get(source);
  if (known !== undefined) return known;
  let rest = source.replace(/\\./g, '').replace(/\[[^\]]*\]/g, '');
  while (/\([^()]*\)/.test(rest)) rest = rest.replace(/\([^()]*\)/g, '');
  const isAtStart = rest.split('|').every((branch) => branch.startsWith('^'));
  anchored.set(source, isAtStart);
  return isAtStart;
}

const ofPatterns: object = RegExp.prototype;
// All methods come to `exec` once it is not the built-in one.
Object.defineProperty(ofPatterns, 'exec', {
  ...Object.getOwnPropertyDescriptor(ofPatterns, 'exec'),
  value(this: RegExp, value: unknown) {
    const text = String(value);
    if (!isCounting) return Reflect.apply(exec, this, [text]);
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = Reflect.apply(exec, this, [text]);
    isCounting = false;
    const end = found === null ? (isAnchored(this) ? from : text.length) : found.index + found[0].length;
    const passed = Math.max(1, end - from);
    patterns += passed;
    if (text.length - from >= SHORT) {
      const before = allocatedBytes();
      patterns += backtracks(this, text, from, passed);
      ownBytes += allocatedBytes() - before;
    }
    isCounting = true;
    return found;
  },
});

/** Counts what `work` does until it settles. */
export async function countWork(work: () => unknown): Promise<Work> {
  takeBlocks();
  [natives, patterns, ownBytes] = [0, 0, 0];
  const before = allocatedBytes();
  isCounting = true;
  try {
    await work();
  } finally {
    isCounting = false;
  }
  const bytes = allocatedBytes() - before - ownBytes;
  return { blocks: takeBlocks(), natives, patterns, bytes };
}

/** Node 26 has this member; its types don't yet. */
function allocatedBytes(): number {
  const { total_allocated_bytes: bytes } = getHeapStatistics() as { readonly total_allocated_bytes?: number };
  if (bytes === undefined) throw new Error('Counting the bytes that are allocated needs Node 26.');
  return bytes;
}
