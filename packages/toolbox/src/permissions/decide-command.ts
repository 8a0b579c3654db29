import { sliceHead } from '@kernel/internal';
import { posix } from 'node:path';
import { analyzeCommand, type CommandFacts } from '../commands/analysis/analyze-command.ts';
import { programsOfGit } from '../commands/analysis/git-programs.ts';
import { knownWord, type Redirection, type ShellWord } from '../commands/shell/types.ts';
import { type CompiledRule, decidedBy } from './compile-rules.ts';
import { createLinks, linkTarget, pathsIn } from './links.ts';
import { patternOfPath, toRulePath } from './match-text.ts';
import { escapeBackslashes, matchWildcard, splitCommands } from './match-wildcard.ts';
import { concernsCommand, coversCommand, patternFor, resolveCommand, type ResolvedCommand } from './match-command.ts';
import { lineage } from '../workspace/paths.ts';
import type { PermissionResult, PermissionVerdict } from './types.ts';

interface CommandPolicy {
  readonly rules: readonly CompiledRule[];
  readonly fallback: PermissionVerdict;
  readonly folder: string;
  readonly hasInput: boolean;
  readonly root: string | undefined;
  /** Whether the rules allow a file to be opened. The path is absolute, or relative to the root. */
  readonly mayOpen: (access: Redirection['access'], path: string) => boolean;
}

const INPUT = ' No rule names the input that it gets.';
const WILDCARDS =
  ' A wildcard covers arguments only of programs known to run and change nothing, such as cat and grep, and never a path or link out of the workspace.';

export function decideCommand(
  toolName: string,
  command: readonly string[],
  { rules, fallback, folder, hasInput, mayOpen, root }: CommandPolicy,
): PermissionResult {
  const facts = analyzeCommand(command, hasInput);
  const strict = rules.find((rule) => rule.verdict === 'deny' && concerns(rule, facts, folder, command, root));
  const decisive =
    strict ?? rules.find((rule) => rule.verdict === 'ask' && concerns(rule, facts, folder, command, root));
  if (decisive !== undefined) return decidedBy(decisive);
  /** A rule that may be about what is not known. */
  const against = rules.find(({ verdict, pattern }) => verdict !== 'allow' && pattern !== undefined);
  const unknown = facts.unclear ?? (against && unknownPart(facts));
  const allowing = rules.filter((rule) => rule.verdict === 'allow');
  const whole = allowing.find((rule) => rule.pattern === undefined);
  if (unknown !== undefined && (against !== undefined || whole === undefined)) {
    const verdict = whole === undefined && fallback === 'deny' ? 'deny' : 'ask';
    const reason = `The command contains ${unknown}, so no rule can tell what it does.`;
    return { verdict, reason, ...(against !== undefined && { rule: against.rule }) };
  }
  if (whole !== undefined) return decidedBy(whole);

  const links = root === undefined ? undefined : createLinks(root);
  const commands = facts.commands.map((each) => resolveCommand(each, folder, links));
  const covering = (each: ResolvedCommand): CompiledRule | undefined =>
    allowing.find((rule) => rule.isForNamedTools && coversCommand(rule, each));
  const open = commands.find((each) => covering(each) === undefined);
  if (open !== undefined) {
    const shown = open.words.map(({ text = '…' }) => text).join(' ');
    const exact = patternFor(open);
    const isNear = allowing.some(({ pattern = '' }) => pattern.includes('*') && concernsCommand(pattern, open));
    const note = open.isFed ? INPUT : isNear ? WILDCARDS : '';
    return {
      verdict: fallback,
      reason: `No rule covers ${JSON.stringify(sliceHead(shown, 200))}.${note}`,
      ...(exact === undefined ? {} : { suggestion: { allow: `${toolName}(${exact})` } }),
    };
  }
  const isClosed = ({ access, target: { text } }: Redirection): boolean =>
    text === undefined ||
    facts.changesFolder ||
    !mayOpen(access, posix.isAbsolute(text) ? text : posix.join(folder, text));
  const opened = facts.redirections.find(isClosed);
  if (opened !== undefined) {
    const { text } = opened.target;
    const [verb, tool] = opened.access === 'write' ? ['writes', 'write_file'] : ['reads', 'read_file'];
    return {
      verdict: fallback,
      reason: `The command ${verb} ${JSON.stringify(text ?? '…')}, which no rule allows ${tool} to do.`,
      ...(text === undefined || facts.changesFolder
        ? {}
        : {
            suggestion: {
              allow: `${tool}(${patternOfPath(posix.isAbsolute(text) ? text : posix.join(folder, text), root)})`,
            },
          }),
    };
  }
  const named = commands.flatMap((each) => programsFor(each, root));
  if (named.length > 0)
    return {
      verdict: fallback === 'allow' ? 'ask' : fallback,
      reason: `Git would run or use ${named.join(', and ')}.`,
    };
  const rule = commands[0] && covering(commands[0]);
  return rule === undefined ? { verdict: fallback, reason: 'No rule matches.' } : decidedBy(rule);
}

/** What the repositories that a command of Git would use make it run. Without a root, no repository but that at the top is trusted. */
function programsFor({ folders = [], words }: ResolvedCommand, root: string | undefined): readonly string[] {
  if (words[0]?.text !== 'git') return [];
  if (root === undefined)
    return folders.some((each) => each !== '.') ? ['what the config of another folder names'] : [];
  const [, command] = words;
  return folders.flatMap((each) => programsOfGit(root, each, command?.text ?? '')).map((each) => JSON.stringify(each));
}

function concerns(
  { folder: named, isForNamedTools, pattern, texts }: CompiledRule,
  { commands: every, redirections, suspected }: CommandFacts,
  folder: string,
  command: readonly string[],
  root: string | undefined,
): boolean {
  const mayBeThere = (each: string): boolean => lineage(each).some((above) => named?.concerns(above) !== false);
  const commands = every.filter(
    ({ folders }) => folders?.some((each) => mayBeThere(posix.join(folder, each))) !== false,
  );
  if (commands.length === 0 && !mayBeThere(folder)) return false;
  if (pattern === undefined) return true;
  const all = [...commands, ...suspected];
  const words = [...all.flatMap((each) => each.words), ...redirections.map(({ target }) => target)];
  if (words.some(({ text }) => text !== undefined && texts?.concerns(text, folder) === true)) return true;
  const isLinked = ({ text = '' }: ShellWord): boolean =>
    pathsIn(text).some((path) => {
      const target =
        root === undefined ? undefined : linkTarget(root, posix.isAbsolute(path) ? path : `${folder}/${path}`);
      return target !== undefined && texts?.concerns(target, folder) === true;
    });
  if (texts !== undefined && words.some(isLinked)) return true;
  // A pattern for tools of any name is one of paths, unless it begins like a command.
  if (!isForNamedTools && !/^\s*[\w.|-]+\s/.test(pattern)) return false;
  if (command.includes(pattern.trim()) || matchWildcard(escapeBackslashes(pattern.trim()), command.join(' ')))
    return true;
  const byPath = all.map((each) => ({ ...each, words: each.words.map((word) => wordOfPath(word, folder, root)) }));
  const isThere = (part: string): boolean => [...all, ...byPath].some((each) => concernsCommand(part, each));
  const parts = splitCommands(pattern);
  return isThere(pattern) || (parts.length > 1 && parts.every(isThere));
}

/** A word as the path from the root that it may be: `./a`, `b/../a` and the absolute path are `a`. */
function wordOfPath(word: ShellWord, folder: string, root: string | undefined): ShellWord {
  if (word.text === undefined || !word.text.includes('/')) return word;
  const path = toRulePath(word.text, root);
  return knownWord(posix.isAbsolute(path) ? path : posix.join(folder, path));
}

/** What may hide what a rule forbids or asks about. */
function unknownPart(facts: CommandFacts): string | undefined {
  if (facts.interpreter !== undefined) return `what another program interprets (${facts.interpreter})`;
  if (facts.changesFolder) return 'a change of folder';
  const words = [...facts.commands.flatMap((each) => each.words), ...facts.redirections.map(({ target }) => target)];
  return words.some(({ text }) => text === undefined) ? 'a word that only a shell knows' : undefined;
}
