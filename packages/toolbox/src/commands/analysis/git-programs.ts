import { execFileSync } from 'node:child_process';
import { attempt, childStreams, childVariables, findOnPath, programPath } from '@kernel/internal';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
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

/**
 * The keys by which Git still finds a program to run, or other files than those of the repository, when it only reads.
 * What an included file says may be another thing by the time that Git runs: it may be a descriptor (`/dev/fd/9`),
 * written by the same script, or below the home folder of the isolation.
 */
const PROGRAM =
  /^(?:include(?:if\..*)?\.path|diff\.external|diff\..*\.(?:command|textconv)|(?:filter|lfs\.extension)\..*\.(?:clean|smudge|process)|merge\..*\.driver|gpg\.(?:.*\.)?program|core\.(?:worktree|attributesfile))$/;
/** Names a file of which `git blame` prints a line that is no revision. */
const REVISIONS_FILE = 'blame.ignorerevsfile';
const MAX_MS = 5_000;
const MAX_BYTES = 1_000_000;

/**
 * Finds what the repository of a folder, and a config within `root`, make these commands of Git run all the same. Asks
 * Git itself, in a way that runs nothing. Returns each as `key = value`, and a sentence for what cannot be found out;
 * both need a person.
 */
export function programsOfGit(root: string, folder: string, commands: readonly string[]): readonly string[] {
  const readsFiles = commands.some((each) => /^(?:status|diff|describe)$/.test(each));
  const cwd = resolve(root, folder);
  const ask = gitIn(root, cwd);
  if (ask === undefined) return [];
  const listed = ask('', 'config', '--list', '--show-scope', '--show-origin', '-z');
  if (listed === undefined) return ['a config that Git cannot read'];
  const fields = listed.split('\0');
  const found: string[] = [];
  let isRepository = false;
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = fields.slice(at, at + 3);
    const [key = '', ...value] = entry.split('\n');
    isRepository ||= scope === 'local';
    const isOfFolder =
      scope === 'local' || scope === 'worktree' || isInside(root, resolve(cwd, origin.slice('file:'.length)), sep);
    const isUsed =
      PROGRAM.test(key) ||
      (key === REVISIONS_FILE && commands.includes('blame')) ||
      value.some((line) => /%[-+ ]?G/.test(line));
    if (scope !== 'command' && isOfFolder && isUsed) found.push(`${key} = ${value.join('\n')}`);
  }
  // A file that is added or committed counts as well.
  const submodules = readsFiles && ask(':.gitmodules\nHEAD:.gitmodules\n', 'cat-file', '--batch-check');
  if (
    submodules === undefined ||
    (readsFiles && (/ blob \d+$/m.test(submodules || '') || hasAbove(cwd, '.gitmodules')))
  )
    found.push('submodules, each with its config');
  if (!isRepository) return found;
  const [own = '', common = own] = ask('', 'rev-parse', '--absolute-git-dir', '--git-common-dir')?.split('\n') ?? [];
  const elsewhere =
    own === ''
      ? undefined
      : attempt(() => filesElsewhere(realpathSync(cwd), resolve(own), realpathSync(resolve(cwd, common))));
  return [...found, ...(elsewhere ?? ['a repository that cannot be looked at'])];
}

/**
 * Returns a function that asks the Git that a command would run, with an input and arguments, in a way that runs
 * nothing; it returns undefined where Git fails. Undefined if there is no Git. Another version may read other configs.
 */
export function gitIn(root: string, cwd: string) {
  const variables = commandVariables(DEFAULT_VARIABLES, root);
  const git = findOnPath('git', { workspace: root, path: variables['PATH'] ?? '' });
  if (git === undefined) return undefined;
  return (input: string, ...args: readonly string[]): string | undefined => {
    return attempt(() =>
      execFileSync(programPath(git), args, {
        cwd,
        input,
        env: childVariables({ ...variables, ...VARIABLES }),
        encoding: 'utf8',
        stdio: childStreams('pipe', 'pipe', 'ignore'),
        timeout: MAX_MS,
        maxBuffer: MAX_BYTES,
        windowsHide: true,
      }),
    );
  };
}

/**
 * The folder of hooks and the files of config that exist in a folder, outside of its `.git`: those that the config of
 * its repository or of one around it names, and the folder of hooks that the user's config names. Asks Git only where a
 * config may name some.
 */
export function filesNamedByConfig(folder: string): readonly string[] {
  const git = join(folder, '.git');
  const config = attempt(() => readFileSync(join(git, 'config'), 'utf8')) ?? 'include';
  const ofUser = configsOfUser();
  const isNaming = /hookspath|include|worktreeconfig/i;
  if (![config, ...ofUser.values()].some((text) => isNaming.test(text))) return [];
  // Git names the origin of a config from the top of the repository.
  const ask = gitIn(folder, folder);
  const top = ask?.('', 'rev-parse', '--show-toplevel')?.replace(/\n$/, '') ?? folder;
  const found = new Set<string>();
  const add = (listed = ''): void => {
    const fields = listed.split('\0');
    for (const [at, entry] of fields.entries()) {
      const [key = '', ...value] = entry.split('\n');
      if (!/^(?:core\.hookspath|include(?:if\..*)?\.path)$/i.test(key)) continue;
      const origin = resolve(top, (fields[at - 1] ?? '').replace('file:', ''));
      const isConfig = key.startsWith('include');
      // Those of the user's own config are the user's, also where the home folder is the workspace.
      if (isConfig && ofUser.has(origin)) continue;
      const path = resolve(isConfig ? dirname(origin) : top, value.join('\n').replace(/^~(?=\/)/, homedir()));
      if (found.has(path) || !existsSync(path)) continue;
      found.add(path);
      // One whose condition does not hold now is not part of the list.
      if (isConfig)
        add(ask?.('', '-C', top, 'config', '--file', path, '--no-includes', '--list', '--show-origin', '-z'));
    }
  };
  add(ask?.('', '-C', top, 'config', '--list', '--show-origin', '-z'));
  return [...found].filter((path) => path !== folder && isInside(folder, path, sep) && !isInside(git, path, sep));
}

/** The configs of Git that hold for every repository of the user: their texts by their paths. */
function configsOfUser(): ReadonlyMap<string, string> {
  const inHome = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const paths = ['/etc/gitconfig', join(homedir(), '.gitconfig'), join(inHome, 'git/config')];
  return new Map(paths.map((path) => [path, attempt(() => readFileSync(path, 'utf8')) ?? '']));
}

/**
 * Names what makes the folder of a repository lead elsewhere: Git prints lines of files that it cannot read as its own.
 * A linked worktree is known there.
 */
function filesElsewhere(cwd: string, own: string, common: string): readonly string[] {
  const known = attempt(() => resolve(own, readFileSync(join(own, 'gitdir'), 'utf8').trim())) ?? own;
  const isOwn = basename(known) === '.git' && isInside(realpathSync(dirname(known)), cwd, sep);
  if (!isOwn || !isInside(common, own, sep)) return [`a repository elsewhere, ${own}`];
  const linked = [...new Set([own, common])].flatMap((folder) => linksIn(folder, 2));
  return linked.slice(0, 1).map((path) => `a link in the repository, ${path}`);
}

/** The links in a folder, but those of hooks, which do not run. */
function linksIn(folder: string, levels: number): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'hooks') return [];
    if (entry.isSymbolicLink()) return [path];
    return levels > 1 && entry.isDirectory() ? linksIn(path, levels - 1) : [];
  });
}

function hasAbove(folder: string, name: string): boolean {
  const isThere = lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  return isThere || (dirname(folder) !== folder && hasAbove(dirname(folder), name));
}
