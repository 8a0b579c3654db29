import { posix, sep } from 'node:path';
import { checkKeys, invalidOption, optionKeys } from '@kernel/protocol';
import { mayHoldCredentials } from './credential-names.ts';
import { quote, toolError } from './errors.ts';
import { compileEitherGlob, compileGlob, literalBrackets, type PathTest } from './glob.ts';
import { lineage } from './paths.ts';
import type { Access, WorkspaceRules } from './types.ts';

/** The rules of a workspace, compiled. Paths are normalized, without links. */
export type Rules = ReturnType<typeof compileRules>;

const KEYS = optionKeys<WorkspaceRules>({ read: true, write: true, deny: true, denyCredentials: true });

const EVERYTHING: PathTest = () => true;
const MAX_REMEMBERED = 1000;

/**
 * Compiles the rules of a workspace. `root` is the folder that paths are below, as far as its own names count: a workspace within a folder of keys is as
 * private as one around it. `alias` is another path of it.
 */
export function compileRules(owner: string, rules: WorkspaceRules, root = '', alias = root) {
  checkKeys(owner, rules, KEYS);
  const { read = ['**'], write = [], deny = [], denyCredentials = true } = rules;
  const roots = [root, alias].filter((each) => each !== '').map((each) => fold(each.split(sep).join('/')));
  const tests = {
    read: compileList(owner, 'read', read, roots),
    write: compileList(owner, 'write', write, roots),
  };
  const isDenied = compileList(owner, 'deny', deny, roots, true);
  const isPrivate = memoize(
    (path) => mayHoldCredentials(`${root}/${path}`) || (!isPlain(path) && mayHoldCredentials(`${root}/${fold(path)}`)),
  );
  const holdsCredentials = (path: string) => denyCredentials && isPrivate(path);
  const denies = (path: string) => holdsCredentials(path) || isDenied(path);
  const allows = (access: Access, path: string) => !denies(path) && tests[access](path);
  /** Like `check`, for a folder that is listed or made on the way to a file. */
  const checkFolder = (path: string, asked: string): void => {
    if (holdsCredentials(path))
      throw toolError(`${quote(asked)} may hold credentials, which the file tools do not open.`);
    if (isDenied(path)) throw toolError(`${quote(asked)} is denied by the rules of the workspace.`);
  };
  /** Throws the error for the model if an access is not allowed. `asked` is the path as the caller wrote it. */
  const check = (access: Access, path: string, asked: string): void => {
    checkFolder(path, asked);
    if (tests[access](path)) return;
    throw toolError(
      write.length === 0 && access === 'write'
        ? `${quote(asked)} cannot be changed: nothing in this workspace may be written.`
        : `${quote(asked)} may not be ${access === 'read' ? 'read' : 'written'}: the rules of the workspace do not include it.`,
    );
  };
  return { allows, denies, check, checkFolder };
}

/**
 * The last glob that matches decides. What takes something away (`!` among what is allowed, and what is denied) holds for names in any case and Unicode
 * form, because a file system may take them for the same; what gives something holds for the name as it is written. Brackets and braces are ordinary
 * characters of names for what gives something; what takes something away also takes them for what they stand for.
 */
function compileList(
  owner: string,
  option: string,
  globs: readonly string[],
  roots: readonly string[],
  isDeny = false,
): PathTest {
  if (!Array.isArray(globs)) throw invalidOption(owner, option, 'a list of globs', globs);
  const tests = globs.map((glob: unknown) => {
    if (typeof glob !== 'string' || glob === '') throw invalidOption(owner, option, 'a list of globs', glob);
    const isNegated = glob.startsWith('!');
    const isFolded = isNegated !== isDeny;
    const body = isNegated ? glob.slice(1) : glob;
    return { gives: !isNegated, isFolded, test: compileRule(owner, option, body, isFolded ? roots : undefined) };
  });
  return (path) => {
    const last = tests.findLast(
      ({ isFolded, test }) => test === EVERYTHING || lineage(isFolded ? fold(path) : path).some(test),
    );
    return last?.gives ?? false;
  };
}

/**
 * As in a `.gitignore`: without a slash before its end it is a name at any depth, otherwise a path from the root. With the folded roots, for what takes something
 * away, it is also what equals it read literally: an absolute path below the root, one with `..` or `//`, and a name with a `\`.
 */
function compileRule(owner: string, option: string, glob: string, roots?: readonly string[]): PathTest {
  const body = withoutSlashes(roots === undefined ? glob : fold(glob));
  if (body === '**') return EVERYTHING;
  const anchored = body.replace(/^(?:\.?\/)+/, '');
  try {
    const whole = body.includes('/') ? anchored : `**/${body}`;
    if (roots === undefined) return compileGlob(literalBrackets(whole));
    const below = roots.filter((root) => body.startsWith(`${root}/`)).map((root) => body.slice(root.length + 1));
    const readings = [whole, ...below].flatMap((each) => [each, posix.normalize(each), each.replaceAll('\\', '\\\\')]);
    const tests = [...new Set(readings)].map(compileEitherGlob);
    return (path) => tests.some((test) => test(path));
  } catch (error) {
    throw invalidOption(owner, option, `globs that can be read (${error instanceof Error ? error.message : ''})`, glob);
  }
}

function withoutSlashes(glob: string): string {
  let end = glob.length;
  while (end > 1 && glob[end - 1] === '/') end -= 1;
  return glob.slice(0, end);
}

/** One path is checked several times in a row: by its name, and again by what was opened. */
function memoize(test: PathTest): PathTest {
  const known = new Map<string, boolean>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const is = test(path);
    known.set(path, is);
    return is;
  };
}

/** Whether a path differs from its folded form by the case of letters at most. */
function isPlain(path: string): boolean {
  return /^[ -~]*$/.test(path);
}

/** A path as a file system may take it that does not tell case, normal forms or unseen characters apart. */
function fold(path: string): string {
  if (isPlain(path)) return path.toUpperCase();
  // Upper case of lower case comes near to full case folding, in which `\u017F` is `s` and `\u00DF` is `ss`.
  return path
    .normalize('NFC')
    .toLowerCase()
    .toUpperCase()
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}
