import { execFileSync } from 'node:child_process';
import { attempt, childVariables, findProgram } from '@kernel/internal';
import { lstatSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { commandVariables, DEFAULT_VARIABLES } from '../environment.ts';
import { isInside } from '../../workspace/paths.ts';
import { analyzeCommand } from './analyze-command.ts';

/**
 * The settings that Git gets for a command that only reads, in the form in which it passes them on to the Git of a
 * submodule: no repository but a folder `.git`, no hooks, no monitor of files, no signatures, no submodules.
 */
const SETTINGS = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'log.showSignature=false',
  'diff.ignoreSubmodules=all',
];

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_CONFIG_PARAMETERS: SETTINGS.map((setting) => `'${setting}'`).join(' '),
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // An object that is missing is fetched from no remote, which can name a program.
  GIT_ALLOW_PROTOCOL: 'none',
};

/** Returns the variables by which a command that may run unasked keeps Git from running what a repository names. */
export function gitVariables(command: readonly string[]): Readonly<Record<string, string>> {
  const uses = analyzeCommand(command).commands.filter(({ words }) => words[0]?.text === 'git');
  return uses.length > 0 && uses.every(({ isListed }) => isListed) ? VARIABLES : {};
}

/** The keys by which Git still finds a program to run, or files outside of the repository, when it only reads. */
const PROGRAM =
  /^(?:diff\.external|diff\..*\.(?:command|textconv)|filter\..*\.(?:clean|smudge|process)|gpg\.(?:.*\.)?program|core\.worktree)$/;
const MAX_MS = 5_000;
const MAX_BYTES = 1_000_000;

/**
 * Finds what the repository of a folder, and a config within `root`, make Git run all the same. Asks Git itself, in a
 * way that runs nothing. Returns each as `key = value`, and a sentence for what cannot be found out; both need a person.
 */
export function programsOfGit(root: string, folder: string, readsFiles: boolean): readonly string[] {
  const git = findProgram('git', { workspace: root });
  if (git === undefined) return [];
  const cwd = resolve(root, folder);
  const ask = (input: string, ...args: readonly string[]): string | undefined =>
    attempt(() =>
      execFileSync(git, args, {
        cwd,
        input,
        env: childVariables({ ...commandVariables(DEFAULT_VARIABLES, root), ...VARIABLES }),
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: MAX_MS,
        maxBuffer: MAX_BYTES,
        windowsHide: true,
      }),
    );
  const listed = ask('', 'config', '--list', '--show-scope', '--show-origin', '-z');
  if (listed === undefined) return ['a config that Git cannot read'];
  const fields = listed.split('\0');
  const found: string[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = fields.slice(at, at + 3);
    const [key = '', ...value] = entry.split('\n');
    const isOfFolder =
      scope === 'local' || scope === 'worktree' || isInside(root, resolve(cwd, origin.slice('file:'.length)), sep);
    if (scope !== 'command' && isOfFolder && PROGRAM.test(key)) found.push(`${key} = ${value.join('\n')}`);
  }
  // A file that is added or committed counts as well.
  const submodules = readsFiles && ask(':.gitmodules\nHEAD:.gitmodules\n', 'cat-file', '--batch-check');
  if (
    submodules === undefined ||
    (readsFiles && (/ blob \d+$/m.test(submodules || '') || hasAbove(cwd, '.gitmodules')))
  )
    found.push('submodules, each with its config');
  return found;
}

function hasAbove(folder: string, name: string): boolean {
  const isThere = lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  return isThere || (dirname(folder) !== folder && hasAbove(dirname(folder), name));
}
