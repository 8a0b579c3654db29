import { attempt } from '@kernel/internal';
import { realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { compileEitherGlob, compileGlob, escapeGlob, literalBrackets } from '../workspace/glob.ts';
import { ADDRESS, addressTest } from './match-address.ts';
import { splitUnescaped, decode, expandHome, fold, type TextTest, toSlashes } from './match-wildcard.ts';

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
  const whole = alternatives.length === 1 ? [] : testsOf(pattern.replaceAll(/\\[^]|\|/g, escapeBar));
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

export function patternOfPath(path: string, root: string | undefined): string {
  const isName = path.includes('\\') && process.platform !== 'win32';
  return escapeGlob(isName ? path : toRulePath(path, root)).replaceAll(/^\s|\s$/g, String.raw`\$&`);
}

/** Leaves out the spaces around a pattern; one behind a `\` belongs to it. */
function trimPattern(pattern: string): string {
  const trimmed = pattern.trim();
  const characters = Array.from(trimmed);
  const escapes = characters.length - 1 - characters.findLastIndex((each) => each !== '\\');
  return escapes % 2 === 0 ? trimmed : trimmed + pattern.trimStart().slice(trimmed.length, trimmed.length + 1);
}

function escapeBar(found: string): string {
  return found === '|' ? String.raw`\|` : found;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:\//.test(path);
}

function normalize(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/$/, '');
}

/** Replaces each `\` before what means nothing in a pattern. */
function replacePlainBackslashes(glob: string, by: string): string {
  return glob.replaceAll(/\\(?:([*?[\]{}()|\s\\])|)/g, (found, escaped?: string) =>
    escaped === undefined ? by : found,
  );
}

/** The paths of the root: as it was given, and without links, as programs see it. */
function rootsOf(root: string | undefined): readonly string[] {
  return root === undefined ? [] : [...new Set([root, attempt(() => realpathSync.native(root)) ?? root])];
}

function belowRoot(glob: string, root: string): string | undefined {
  if (!isAbsolute(glob)) return undefined;
  const names = glob.split('/');
  const above = normalize(toSlashes(root)).replace(/\/$/, '').split('/');
  const star = names.indexOf('**');
  const depth = star === -1 ? above.length : Math.min(star, above.length);
  const isAbove = compileEitherGlob(fold(names.slice(0, depth).join('/')));
  return isAbove(fold(above.slice(0, depth).join('/'))) ? names.slice(depth).join('/') || '.' : undefined;
}

/** Where a pattern may start: as it is written, and with `~` at the home folder, with `/` also at the root of the workspace. */
function startsOf(pattern: string): readonly string[] {
  const inHome = expandHome(pattern);
  if (inHome !== pattern) return [pattern, inHome];
  const inRoot = pattern.replace(/^\/+/, '');
  return inRoot === pattern || /^\**$/.test(inRoot) ? [pattern] : [pattern, inRoot];
}

function readingsOf(
  pattern: string,
  roots: readonly string[],
  isFolder: boolean,
): { readonly globs: ReadonlySet<string>; readonly isOfAll: boolean } {
  const given = [trimPattern(pattern), pattern]
    .flatMap(startsOf)
    .flatMap((each) => [each, replacePlainBackslashes(each, '/'), literalBrackets(toSlashes(each))]);
  const globs = new Set(given.flatMap((each) => [each, normalize(each)]));
  const isNamed = (glob: string): boolean => isFolder && !/[*?]/.test(posix.basename(glob));
  const folders = [...globs].filter(isNamed).map((each) => `${each.replace(/\/$/, '')}/**`);
  const below = roots
    .flatMap((known) => [...globs, ...folders].map((each) => belowRoot(each, known)))
    .filter((each) => each !== undefined);
  const isOfAll = below.includes('**') || (isFolder && globs.has('.'));
  return { globs: new Set([...globs, ...folders, ...below.filter((each) => each !== '**')]), isOfAll };
}

function pathTest(pattern: string, root: string | undefined, isFolder: boolean): TextTest {
  const roots = rootsOf(root);
  const { globs, isOfAll } = readingsOf(pattern, roots, isFolder);
  const folded = [...globs].map((each) => compileEitherGlob(fold(each)));
  // As it is written, too: a pattern may be about the folders above the root.
  const rulePaths = (text: string): readonly string[] => [
    ...new Set([undefined, ...roots].map((each) => toRulePath(text, each))),
  ];
  const isConcerned = (part: string): boolean =>
    rulePaths(part)
      .map(fold)
      .some((path) => folded.some((test) => test(path)));
  const isInRoot = (text: string): boolean => rulePaths(text).some((path) => !isAbsolute(path) && !isOutside(path));

  const plain = replacePlainBackslashes(trimPattern(pattern), process.platform === 'win32' ? '/' : '\\\\');
  const prefix = root === undefined ? '/' : `${normalize(toSlashes(root))}/`.replace('//', '/');
  const glob = normalize(plain.startsWith(prefix) && prefix !== '/' ? plain.slice(prefix.length) : plain);
  const exact = compileGlob(literalBrackets(glob));
  const name = /[*?]/.test(plain.replaceAll(/\\[^]/g, '')) ? undefined : plain.replaceAll(/\\([^])/g, '$1');
  return {
    covers: (text) => {
      if (text === name) return !text.includes('\0');
      // A backslash is a character of a name outside of Windows, and between names on it: no wildcard stands for one.
      if (/[\0\\]/.test(process.platform === 'win32' ? toSlashes(text) : text)) return false;
      const path = toRulePath(text, root);
      // `**` stands for folders below the root.
      return exact(path) && (!isOutside(path) || isOutside(glob));
    },
    concerns: (text, folder) => {
      // A word of a command need not be a path, so none is taken for what is merely somewhere in the workspace.
      if (isOfAll && folder === undefined && isInRoot(text)) return true;
      const isElsewhere = folder !== undefined && folder !== '.';
      return parts(text).some((part) => isConcerned(part) || (isElsewhere && isConcerned(posix.join(folder, part))));
    },
  };
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith('../');
}

/** A text and what may be a path in it: the value of an option (`--file=.env`, `-f.env`), or of a program's own notation (`HEAD:.env`, `@.env`, `x=<.env`). */
function parts(text: string): readonly string[] {
  const pieces = text.split(/[=:@,;<]/).filter((piece) => piece !== '');
  const values = /^-[^-]/.test(text) ? [2, 3, 4].map((start) => text.slice(start)).filter((value) => value !== '') : [];
  const decoded = text.includes('%') ? [decode(text), ...decode(text).split(/[=:@,;<]/)] : [];
  return [...new Set([text, ...pieces, ...values, ...decoded])];
}
