import { sliceHead } from '@kernel/internal';
import { posix } from 'node:path';
import { analyzeCommand } from '../commands/analysis/analyze-command.ts';
import { programsOfGit } from '../commands/analysis/git-programs.ts';
import { knownWord, type Redirection, type ShellWord } from '../commands/shell/types.ts';
import { lineage } from '../workspace/paths.ts';
import type { CompiledRule } from './compile-rules.ts';
import type { RuledCall } from './decide-call.ts';
import { createLinks, linkTarget, pathsIn } from './links.ts';
import { patternFor, resolveCommand, type ResolvedCommand } from './match-command.ts';
import { fromRoot, patternOfPath } from './match-text.ts';

interface CommandCall {
  readonly command: readonly string[];
  readonly toolName: string;
  /** Where it starts, as rules know it. */
  readonly folder: string;
  readonly isFed: boolean;
  readonly root: string | undefined;
  /** Whether the rules allow a file to be opened. The path is absolute, or relative to the root. */
  readonly mayOpen: (access: Redirection['access'], path: string) => boolean;
}

const INPUT = ' No rule names the input that it gets.';
const WILDCARDS =
  ' A wildcard covers arguments only of programs known to run and change nothing, such as cat and grep, and never a path or link out of the workspace.';

/** Reads a call of `run_command`: the programs that it would run, and the files that it would open. */
export function readCommand({ command, toolName, folder, isFed, root, mayOpen }: CommandCall): RuledCall {
  const facts = analyzeCommand(command, isFed);
  const absolute = (text: string): string => (posix.isAbsolute(text) ? text : posix.join(folder, text));
  const targets = facts.redirections.map(({ target }) => target);

  /** A word as the path from the root that it may be: `./a`, `b/../a` and the absolute path are `a`. */
  const asPath = (word: ShellWord): ShellWord =>
    word.text?.includes('/') === true ? knownWord(fromRoot(absolute(word.text), root)) : word;
  const byPath = new Map(
    [...facts.commands, ...facts.suspected].map((each) => [each, { ...each, words: each.words.map(asPath) }]),
  );
  /** What a word says, and where that leads. */
  const meanings = new Map<string, readonly string[]>();
  const meaningsOf = ({ text }: ShellWord): readonly string[] => {
    if (text === undefined || root === undefined) return text === undefined ? [] : [text];
    const known = meanings.get(text);
    const led = (path: string): string | undefined =>
      linkTarget(root, posix.isAbsolute(path) ? path : `${folder}/${path}`);
    const found = known ?? [text, ...pathsIn(text).flatMap((path) => led(path) ?? [])];
    meanings.set(text, found);
    return found;
  };

  /** A folder by its name, and by what it is a link to. */
  const placesOf = (at: string): readonly string[] => {
    const target = root === undefined ? undefined : linkTarget(root, at);
    return target === undefined ? [at] : [at, target];
  };

  const concerns = ({ folder: named, hasPattern, texts, words }: CompiledRule): boolean => {
    const mayBeThere = (each: string): boolean =>
      placesOf(each).some((at) => lineage(at).some((above) => named?.concerns(above) !== false));
    const commands = facts.commands.filter(
      ({ folders }) => folders?.some((each) => mayBeThere(posix.join(folder, each))) !== false,
    );
    if (commands.length === 0 && !mayBeThere(folder)) return false;
    if (!hasPattern) return true;
    const all = [...commands, ...facts.suspected];
    const every = [...all.flatMap((each) => each.words), ...targets];
    if (texts !== undefined && every.some((word) => meaningsOf(word).some((text) => texts.concerns(text, folder))))
      return true;
    return (
      words !== undefined &&
      (words.isWrittenAs(command) || words.concerns([...all, ...all.flatMap((each) => byPath.get(each) ?? [])]))
    );
  };

  /** What is not known. It also is what may hide what a rule is `against`. */
  const unknown = (isAgainst: boolean): string | undefined => {
    const { changesFolder, commands, interpreter, unclear } = facts;
    if (unclear !== undefined || !isAgainst) return unclear;
    if (interpreter !== undefined) return `what another program interprets (${interpreter})`;
    if (changesFolder) return 'a change of folder';
    const every = [...commands.flatMap(({ words }) => words), ...targets];
    if (every.some(({ prefix }) => isOfProcess(prefix))) return 'a path that only its process knows';
    return every.some(({ text }) => text === undefined) ? 'a word that only a shell knows' : undefined;
  };

  const cover: RuledCall['cover'] = (allowing) => {
    const links = root === undefined ? undefined : createLinks(root);
    const commands = facts.commands.map((each) => resolveCommand(each, folder, { links, placesOf }));
    const ruleFor = (each: ResolvedCommand) => allowing.find(({ words }) => words?.covers(each) === true);
    const open = commands.find((each) => ruleFor(each) === undefined);
    if (open !== undefined) {
      const shown = open.words.map(({ text = '…' }) => text).join(' ');
      const exact = patternFor(open);
      const isNear = allowing.some(
        ({ rule, words }) => words?.concerns([open]) === true && 'allow' in rule && rule.allow.includes('*'),
      );
      return {
        reason: `No rule covers ${JSON.stringify(sliceHead(shown, 200))}.${open.isFed ? INPUT : isNear ? WILDCARDS : ''}`,
        suggestion: exact === undefined ? undefined : `${toolName}(${exact})`,
      };
    }
    const files = facts.redirections.map(({ access, target: { text } }) => {
      return { access, text, path: text === undefined || facts.changesFolder ? undefined : absolute(text) };
    });
    const closed = files.find(({ access, path }) => path === undefined || !mayOpen(access, path));
    if (closed !== undefined) {
      const { access, path, text = '…' } = closed;
      const [verb, tool] = access === 'write' ? ['writes', 'write_file'] : ['reads', 'read_file'];
      return {
        reason: `The command ${verb} ${JSON.stringify(text)}, which no rule allows ${tool} to do.`,
        suggestion: path === undefined ? undefined : `${tool}(${patternOfPath(path, root)})`,
      };
    }
    const programs = programsNamed(commands, root);
    if (programs.length > 0) return { reason: `Git would run or use ${programs.join(', and ')}.`, needsPerson: true };
    return (commands[0] && ruleFor(commands[0])) ?? { reason: 'No rule matches.' };
  };

  return { concerns, unknown, cover };
}

/** What repositories make commands of Git run. Without a root, only the repository at the top is trusted. */
function programsNamed(commands: readonly ResolvedCommand[], root: string | undefined): readonly string[] {
  const byFolder = new Map<string, string[]>();
  const ofGit = commands.filter((each) => each.words[0]?.text === 'git');
  // The settings that keep Git from running what a repository names are those of the whole command.
  if (new Set(ofGit.map(({ isListed }) => isListed)).size > 1)
    return ['what the repository names, unless its commands that only read are run by themselves'];
  for (const { folders = [], words } of ofGit)
    for (const each of folders) byFolder.set(each, [...(byFolder.get(each) ?? []), words[1]?.text ?? '']);
  if (root !== undefined)
    return [...byFolder]
      .flatMap(([each, names]) => programsOfGit(root, each, names))
      .map((each) => JSON.stringify(each));
  return [...byFolder.keys()].some((each) => each !== '.') ? ['what the config of another folder names'] : [];
}

/** Whether a word leads where a process works, or through what it has open: `/proc/self/cwd/a`, `/dev/fd/3/a`. */
function isOfProcess(text: string): boolean {
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  const inProc = names.includes('proc') ? names.slice(names.indexOf('proc') + 1) : [];
  const inDescriptors = names.slice(names.indexOf('dev') + 1);
  return (
    inProc.some((name) => /^(?:cwd|root|fd)$/.test(name)) ||
    (names.includes('dev') && inDescriptors[0] === 'fd' && inDescriptors.length > 2)
  );
}
