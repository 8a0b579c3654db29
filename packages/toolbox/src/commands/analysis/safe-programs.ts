import type { ShellWord } from '../shell/types.ts';
import { mayLeaveFolder } from './leaves-folder.ts';

/**
 * Programs that open no file, whatever their arguments, and write nothing but their output. (Not `printf`, `test` and `date`: in bash `-v` evaluates its
 * value, and `date` sets the clock.)
 */
const OPENS_NOTHING = wordsOf('basename dirname echo false pwd seq sleep true uname whoami');

/**
 * Programs that, whatever their arguments, only read the files that these name, and write nothing but their output. (Not `diff`, `sort`, `uniq`, `tee`,
 * `xxd` and `tree`, which write files or run programs on request; `egrep` and `fgrep` are scripts.)
 */
const ONLY_READS = wordsOf('cat cmp comm cut fold grep head ls nl od paste readlink realpath stat tac tail tr');

/** Programs that only read as long as they get no other options than these. */
const ONLY_READS_WITH: Readonly<Record<string, RegExp>> = {
  // `-exec`, `-delete`, `-fprint` and their like run programs and write files.
  find: /^-(?:name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|newer|empty|not|o|or|a|and|prune|print|print0|ls)$/,
  // `-o` and `-T` write files, `--compress-program` runs one, and `--files0-from` reads what a file names.
  sort: /^-[bcCdfghiMmnrRsuVzkt]+[\d,]*$/,
  // `--files0-from` reads what a file names.
  wc: /^(?:-[clLmw]+|--(?:bytes|chars|lines|words|max-line-length))$/,
};

/** The commands of Git that only read as long as they get no other options than `GIT_OPTIONS`. */
const GIT_READERS = wordsOf('blame describe diff grep log ls-files ls-tree rev-parse shortlog show status');

/** Options by which Git prints what files hold, of commands that else print names and messages. A wildcard does not cover them. */
const PRINTS_CONTENT: Readonly<Record<string, RegExp>> = {
  log: /^(?:-[^-]*[cGLmpSuUW]|--(?:binary|cc|color-words|full-diff|function-context|patch|text|unified|word-diff))/,
  status: /^(?:-[^-]*v|--verbose)/,
};

/** `--output` writes a file, and `-O`, `--ext-diff`, `--textconv` and `%G` in a format run programs. */
const GIT_OPTIONS = new RegExp(
  [
    String.raw`^(?:-[abcdeEFghiIlLmnpPqrsStuUvwWzMCDBRG]*\d*`,
    '--(?:abbrev-commit|abbrev-ref|all|always|branch|branches|cached|color-words|count|deleted|dirty|exclude-standard|extended-regexp)',
    '--(?:files-with-matches|first-parent|fixed-strings|follow|full-name|graph|ignore-all-space|ignore-case|ignore-space-change|line-number)',
    '--(?:long|merge-base|merges|modified|name-only|name-status|no-color|no-decorate|no-merges|no-patch|numstat|oneline|others|patch|remotes)',
    '--(?:reverse|short|shortstat|show-toplevel|staged|summary|tags|text|topo-order|verify)',
    '--(?:abbrev|color|decorate|find-renames|porcelain|stat|untracked-files|word-diff)(?:=[^]*)?',
    '--(?:after|author|before|date|diff-filter|format|grep|max-count|pretty|since|skip|unified|until)=(?![^]*%[-+ ]?G)[^]*)$',
  ].join('|'),
);

/** Options by which a program follows every link that it comes across, and not only those among its arguments. */
const FOLLOWS_LINKS: Readonly<Record<string, RegExp>> = { grep: /^(?:-[^-]*[RS]|--de)/, ls: /^(?:-[^-]*[HL]|--de)/ };

export interface Coverable {
  /** Whether the program is one of those whose arguments a wildcard covers. */
  readonly isListed: boolean;
  /** For each word, the program included: whether a wildcard covers it. */
  readonly isOpen: readonly boolean[];
}

/**
 * Finds out which words of a command a wildcard of a rule covers: those of the few programs that are known to run nothing and to change nothing with
 * them, and of these none that may be a path out of the folder. Of every other program nothing is known, so a rule has to name its arguments.
 */
export function coverableWords(words: readonly ShellWord[]): Coverable {
  const name = words[0]?.text ?? '';
  const command = words[1]?.text ?? '';
  const isGit = name === 'git' && GIT_READERS.has(command);
  const content = isGit && Object.hasOwn(PRINTS_CONTENT, command) ? PRINTS_CONTENT[command] : undefined;
  const options = isGit ? GIT_OPTIONS : Object.hasOwn(ONLY_READS_WITH, name) ? ONLY_READS_WITH[name] : undefined;
  const program = name.slice(name.lastIndexOf('/') + 1);
  const opensNothing = OPENS_NOTHING.has(program);
  const isListed =
    isOfSystem(name) && (options !== undefined || opensNothing || ONLY_READS.has(program) || entersFolder(words));
  const followsLinks = Object.hasOwn(FOLLOWS_LINKS, program) ? FOLLOWS_LINKS[program] : undefined;
  const isOpen = ({ text, prefix, glob }: ShellWord, index: number): boolean => {
    if (!isListed) return false;
    if (index === 0) return true;
    if (text !== undefined)
      return (
        !mayLeaveFolder(text) &&
        followsLinks?.test(text) !== true &&
        (options === undefined || !/^-[^-]|^--./.test(text) || (options.test(text) && content?.test(text) !== true))
      );
    if (prefix === '' || prefix.startsWith('-')) return false;
    // A name that begins with a dot and has a wildcard may be `..`.
    if (glob !== undefined)
      return !mayLeaveFolder(glob) && !glob.split('/').some((each) => each.startsWith('.') && /[*?[]/.test(each));
    return opensNothing;
  };
  return { isListed, isOpen: words.map(isOpen) };
}

/** `cd` to a folder below; without an argument it goes to the home folder. */
function entersFolder([program, folder, more]: readonly ShellWord[]): boolean {
  const { text } = folder ?? {};
  return (
    program?.text === 'cd' && text !== undefined && /^[^-]/.test(text) && more === undefined && !mayLeaveFolder(text)
  );
}

export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

export function programName(path: string): string {
  const name = (path.split(/[/\\]/).at(-1) ?? '').toLowerCase();
  // Windows leaves out dots and spaces at the end of a name.
  let end = name.length;
  while (end > 1 && /[. ]/.test(name[end - 1] ?? '')) end -= 1;
  return name.slice(0, end).replace(/\.(?:exe|cmd|bat|com|ps1)$/, '');
}

/** Whether a program is looked for on the PATH, or is in a folder of the system's: another one of that name may do anything. */
export function isOfSystem(path: string): boolean {
  return path === programName(path) || /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(path);
}
