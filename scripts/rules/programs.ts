import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';

/** Functions that start the program that they are given: their modules, and the number of that argument. Their callers are checked like those of `spawn`. */
const WRAPPERS: Readonly<Record<string, { readonly module: string; readonly argument: number }>> = {
  runProgram: { module: 'run-program.ts', argument: 0 },
  run: { module: 'release/shell.ts', argument: 1 },
};
/** What `node:child_process` exports to start a program by its path. `exec` and `execSync` start a shell. */
const STARTERS: ReadonlySet<string> = new Set(['spawn', 'spawnSync', 'execFile', 'execFileSync', 'fork']);

const MADE_FOR_START = 'it comes from a function that takes what findProgram or findCommand found';
/** Arguments that are paths although their text does not show it, and what users wrote in a config, with the reason. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/toolbox/src/commands/process/start-process.ts': {
    program: `${MADE_FOR_START}, or from an isolation that a program brought along`,
    'command.stop.program': MADE_FOR_START,
  },
  'packages/toolbox/src/files/search/ripgrep.ts': {
    program: 'an absolute path from the options, or what findProgram found',
  },
  'packages/mcp/src/client/transport/server-process.ts': {
    commandLine: 'what a user wrote in a config as command: its path, or what findCommand found by its name',
  },
  'apps/prompt-agent/src/credentials/run-program.ts': { program: 'of its callers, which are checked' },
  'apps/prompt-agent/src/credentials/token-of-flags.ts': {
    path: 'what a user wrote as command: its path, or what findCommand found by its name',
  },
  'scripts/lib/tarballs.ts': {
    "'pnpm'": 'npx and corepack, which start our scripts, put it on the PATH',
    command: 'of pnpmCommand',
  },
  'scripts/version-packages.ts': { command: 'of pnpmCommand' },
  'scripts/release/prepare-copy.ts': { command: 'of pnpmCommand' },
  'scripts/release/shell.ts': { 'promisify(execFile)': 'its callers are checked' },
  'scripts/release/check-package.ts': { tsc: 'of the project that is checked', 'node.path': 'a Node of the rehearsal' },
  'scripts/release/check-together.ts': { 'node.path': 'a Node of the rehearsal' },
};

const FOUND = /^(?:await )?(?:findProgram|findCommand|requireProgram|systemProgram)\(/;
const ABSOLUTE = /^(?:process\.execPath|'\/[^']*'|join\(root,.*|new URL\(.*import\.meta\.url\)?.*)$/s;

/**
 * Programs: what starts one names it by an absolute path, as `process.execPath` or as what `findProgram` found. A bare name is looked up on `PATH`, and on
 * Windows in the current folder, where a repository may have a program of that name.
 */
export const programs: Rule = (root) =>
  globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts', 'scripts/**/*.ts'], {
    cwd: root,
    exclude: ['scripts/test/**', '**/node_modules/**'],
  })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.startsWith('scripts/test/') && file !== 'scripts/rules/programs.ts')
    .toSorted()
    .flatMap((file) => checkFile(root, file));

function checkFile(root: string, file: string): readonly Problem[] {
  const text = withoutComments(readFileSync(join(root, file), 'utf8'));
  const allowed = new Map(Object.entries(EXCEPTIONS[file] ?? {}));
  const unused = new Set(allowed.keys());
  const problems: Problem[] = [];
  const report = (at: number, message: string): void =>
    void problems.push({ rule: 'programs', file, line: text.slice(0, at).split('\n').length, message });
  const isAllowed = (argument: string): boolean => {
    unused.delete(argument);
    return allowed.has(argument);
  };

  const { names, rest } = importedNames(text, report);
  for (const { index } of rest.matchAll(/\bchild_process\b/g))
    report(index, 'loads node:child_process otherwise than by a plain import of names, which this rule reads.');
  if (names.length > 0)
    for (const { index } of rest.matchAll(/\bshell: *true\b/g))
      report(index, 'starts a shell by its bare name: pass its path as "shell".');
  const wrappers = Object.keys(WRAPPERS).filter((name) => importsWrapper(rest, name));
  for (const name of [...names, ...wrappers])
    for (const { index } of rest.matchAll(new RegExp(String.raw`(?<![\w.'])${name}\b(?!['\w])`, 'g'))) {
      if (/(?:function|const|let) $/.test(rest.slice(0, index))) continue;
      const after = rest.slice(index + name.length);
      if (!after.startsWith('(')) {
        const isImport = wrappers.includes(name) && /^[^;(]*\} from '/.test(after);
        if (!isImport && !isAllowed(surrounding(rest, index, name)))
          report(index, `passes "${name}" on, so that nothing shows which program it starts.`);
        continue;
      }
      const argument = argumentAt(after, wrappers.includes(name) ? (WRAPPERS[name]?.argument ?? 0) : 0);
      if (isPath(argument, rest) || isAllowed(argument)) continue;
      report(index, `starts ${shorten(argument)}: pass an absolute path, process.execPath or what findProgram found.`);
    }
  for (const argument of unused) report(0, `does not start ${argument} any more: remove the exception.`);
  return problems;
}

/** The functions that a module has from `node:child_process`, and its text without those imports. */
function importedNames(text: string, report: (at: number, message: string) => void) {
  const names: string[] = [];
  const rest = text.replaceAll(
    /^import (type )?([^;]*?) from '(?:node:)?child_process';/gms,
    (whole: string, isType: string | undefined, what: string, at: number) => {
      const list = /^\{(.*)\}$/s.exec(what)?.[1];
      if (isType !== undefined) return ' '.repeat(whole.length);
      if (list === undefined) report(at, `imports node:child_process as a whole: import functions by their names.`);
      for (const each of (list ?? '').split(',').map((name) => name.trim())) {
        if (each === '' || each.startsWith('type ') || !/^[a-z]/.test(each)) continue;
        if (STARTERS.has(each)) names.push(each);
        else report(at, `imports "${each}": only ${[...STARTERS].join(', ')}, and not by another name.`);
      }
      return whole.replaceAll(/[^\n]/g, ' ');
    },
  );
  return { names, rest };
}

/** Whether a module has a wrapper from the one that defines it. */
function importsWrapper(text: string, name: string): boolean {
  const from = (WRAPPERS[name]?.module ?? '').split('/').at(-1) ?? '';
  return new RegExp(
    String.raw`^import \{[^}]*\b${name}\b[^}]*\} from '[^']*/${from.replace('.', String.raw`\.`)}';`,
    'm',
  ).test(text);
}

function isPath(argument: string, text: string): boolean {
  if (ABSOLUTE.test(argument) || FOUND.test(argument)) return true;
  if (!/^\w+$/.test(argument)) return false;
  const value = new RegExp(String.raw`\bconst ${argument} = ((?:await )?\w+\()`).exec(text)?.[1];
  return value !== undefined && FOUND.test(value);
}

/** The argument of a call with a number; `text` begins with its bracket. */
function argumentAt(text: string, number: number): string {
  let [depth, from, count] = [0, 1, 0];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (`'"\``.includes(char)) {
      for (at += 1; at < text.length && text[at] !== char; at += 1) if (text[at] === '\\') at += 1;
    } else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    if (depth > 1 || (depth === 1 && char !== ',') || (depth === 0 && at === 0)) continue;
    if (count === number || depth === 0) return count === number ? text.slice(from, at).trim() : '';
    count += 1;
    from = at + 1;
  }
  return '';
}

/** A name with the call that it is passed to, as in `promisify(execFile)`. */
function surrounding(text: string, index: number, name: string): string {
  const before = /\w+\($/.exec(text.slice(0, index))?.[0] ?? '';
  return `${before}${name}${before === '' ? '' : ')'}`;
}

/** The text with comments as spaces, so that lines stay. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, ' '));
}

function shorten(argument: string): string {
  return argument.length > 60 ? `${argument.slice(0, 57)}…` : argument;
}
