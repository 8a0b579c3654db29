import { attempt } from '@kernel/internal';
import { realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { compileEitherGlob, compileGlob, escapeGlob, literalBrackets } from '../workspace/glob.ts';
import { pathsIn } from './links.ts';
import { ADDRESS, addressTest } from './match-address.ts';
import { decode, expandHome, fold, splitUnescaped, type TextTest, toSlashes } from './match-wildcard.ts';

/**
 * Compiles the pattern of a rule for paths and addresses. With `://` it is one for addresses: scheme, host, port, path and query are each matched by
 * their part. Otherwise it is a glob over paths, relative to `root` or absolute. `|` separates alternatives. Brackets and braces are ordinary characters
 * of names, as in `app/[locale]`, and so is a `\` before what means nothing in a pattern.
 *
 * What asks or denies also matches what equals it read literally, takes brackets and braces for what they stand for, and a folder for all that is in it.
 *
 * Throws a `RangeError` for a glob that is too large, and for an address that is none, unless the pattern is one of commands, of which an address can be
 * one word.
 */
export function compileText(pattern: string, root: string | undefined, isOfCommands = false): TextTest {
  const testsOf = (each: string): readonly TextTest[] => {
    const trimmed = trimPattern(each);
    if (trimmed === '') return [];
    if (isOfCommands ? ADDRESS.test(trimmed) : trimmed.includes('://'))
      return [addressTest(trimmed), { ...pathTest(each, root, false), covers: () => false }];
    // The name of a program is no folder.
    return [pathTest(each, root, !isOfCommands || /[^/.]\/|\/[^/.]/.test(trimmed))];
  };
  const alternatives = splitUnescaped(pattern, /\|/);
  const tests = alternatives.flatMap(testsOf);
  // A name may have a `|` in it.
  const whole = alternatives.length === 1 ? [] : testsOf(alternatives.join(String.raw`\|`));
  return {
    covers: (text) => tests.some((test) => test.covers(text)),
    concerns: (text, folder) => [...tests, ...whole].some((test) => test.concerns(text, folder)),
  };
}

/** Returns a path as rules know it: relative to the root if it is below it, with `/`, without `.` and `..`. */
export function toRulePath(text: string, root: string | undefined): string {
  const path = normalize(toSlashes(text));
  if (!isAbsolute(path) || root === undefined) return path;
  const relative = posix.relative(toSlashes(root), path);
  return relative === '' ? '.' : isOutside(relative) || isAbsolute(relative) ? path : relative;
}

/** The same for a path that starts from the root, and may come back to it: `../NAME-OF-THE-ROOT/a` is `a`. */
export function fromRoot(text: string, root: string | undefined): string {
  const path = toSlashes(text);
  return toRulePath(root === undefined || isAbsolute(path) ? path : posix.join(toSlashes(root), path), root);
}

export function patternOfPath(path: string, root: string | undefined): string {
  const isName = path.includes('\\') && process.platform !== 'win32';
  return patternOfValue(isName ? path : toRulePath(path, root));
}

/** The pattern that stands for this text alone. */
export function patternOfValue(text: string): string {
  return escapeGlob(text).replaceAll(/^\s|\s$/g, String.raw`\$&`);
}

/** Leaves out the spaces around a pattern; one behind a `\` belongs to it. */
function trimPattern(pattern: string): string {
  const trimmed = pattern.trim();
  const escapes = trimmed.length - 1 - Array.from(trimmed, (each) => each !== '\\').lastIndexOf(true);
  return escapes % 2 === 0 ? trimmed : trimmed + pattern.trimStart().charAt(trimmed.length);
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:\//.test(path);
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith('../');
}

function normalize(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/$/, '');
}

/** Replaces each `\` before what means nothing in a pattern. */
function replacePlainBackslashes(glob: string, by: string): string {
  return glob.replaceAll(/\\([*?[\]{}()|\s\\])?/g, (found, escaped?: string) => (escaped === undefined ? by : found));
}

/** Where a pattern may start: as it is written, and with `~` at the home folder, with `/` also at the root of the workspace. */
function startsOf(pattern: string): readonly string[] {
  const inHome = expandHome(pattern);
  if (inHome !== pattern) return [pattern, inHome];
  const inRoot = pattern.replace(/^\/+/, '');
  return inRoot === pattern || /^\**$/.test(inRoot) ? [pattern] : [pattern, inRoot];
}

/** The only text that a pattern without wildcards stands for; undefined for one with some. */
export function literalText(pattern: string): string | undefined {
  return literalOf(plainPattern(pattern));
}

function plainPattern(pattern: string): string {
  return replacePlainBackslashes(trimPattern(pattern), process.platform === 'win32' ? '/' : '\\\\');
}

function literalOf(plain: string): string | undefined {
  return /[*?]/.test(plain.replaceAll(/\\[^]/g, '')) ? undefined : plain.replaceAll(/\\([^])/g, '$1');
}

function pathTest(pattern: string, root: string | undefined, isFolder: boolean): TextTest {
  const plain = plainPattern(pattern);
  const prefix = root === undefined ? '/' : `${normalize(toSlashes(root))}/`.replace('//', '/');
  const glob = normalize(plain.startsWith(prefix) && prefix !== '/' ? plain.slice(prefix.length) : plain);
  const exact = compileGlob(literalBrackets(glob));
  const name = literalOf(plain);

  const readings = [trimPattern(pattern), pattern]
    .flatMap(startsOf)
    .flatMap((each) => [each, replacePlainBackslashes(each, '/'), literalBrackets(toSlashes(each))])
    .flatMap((each) => [each, normalize(each)]);
  const folders = readings.filter((each) => isFolder && !/[*?]/.test(posix.basename(each)));
  const globs = new Set([...readings, ...folders.map((each) => `${each.replace(/\/$/, '')}/**`)]);
  // As it was given, and without links, as programs see it.
  const roots = root === undefined ? [] : [...new Set([root, attempt(() => realpathSync.native(root)) ?? root])];
  const tests = [...globs].map((each) => {
    const test = compileEitherGlob(fold(each));
    return { test, isOfAll: roots.some((above) => test(fold(`${toSlashes(above)}/\0/\0`))) };
  });
  /** Whether a path is meant: as written, below the root, or absolute for a pattern about the folders above it. */
  const isMeant = (text: string, mayBeNone: boolean): boolean => {
    const written = [toRulePath(text, undefined), ...roots.map((each) => fromRoot(text, each))];
    const folded = written.map(fold);
    const relative = written.filter((each) => !isAbsolute(each) && !isOutside(each));
    const absolute = roots.flatMap((above) => relative.map((each) => fold(normalize(`${toSlashes(above)}/${each}`))));
    // A word of a command, or a part of a text, need not be a path, so none is taken for what is merely somewhere in
    // the workspace.
    if (!mayBeNone && isFolder && globs.has('.') && relative.length > 0) return true;
    return tests.some(({ isOfAll, test }) => folded.some(test) || (!(mayBeNone && isOfAll) && absolute.some(test)));
  };
  return {
    covers: (text) => {
      if (text === name) return !text.includes('\0');
      // A backslash is a character of a name outside of Windows, and between names on it: no wildcard stands for one.
      if (/[\0\\]/.test(process.platform === 'win32' ? toSlashes(text) : text)) return false;
      const path = toRulePath(text, root);
      // `**` stands for folders below the root.
      return exact(path) && (!isOutside(path) || isOutside(glob));
    },
    concerns: (text, folder) =>
      parts(text).some(
        (part) =>
          isMeant(part, folder !== undefined || part !== text) ||
          (folder !== undefined && folder !== '.' && isMeant(posix.join(folder, part), true)),
      ),
  };
}

/** A text and what may be a path in it: the value of an option (`--file=.env`, `-f.env`), or of a program's own notation (`HEAD:.env`, `@.env`, `x=<.env`). */
function parts(text: string): readonly string[] {
  const decoded = text.includes('%') ? [decode(text)] : [];
  const pieces = [text, ...decoded].flatMap((each) => each.split(/[=:@,;<]/)).filter((piece) => piece !== '');
  return [...new Set([text, ...pathsIn(text), ...decoded, ...pieces])];
}
