import { sliceHead } from '@kernel/internal';
import { posix } from 'node:path';
import { analyzeCommand, type CommandFacts } from '../commands/analysis/analyze-command.ts';
import { mayLeaveFolder } from '../commands/analysis/leaves-folder.ts';
import type { Redirection } from '../commands/shell/types.ts';
import { type CompiledRule, decidedBy } from './compile-rules.ts';
import { concernsCommand, coversCommand, patternFor } from './match-command.ts';
import { escapeGlob } from '../workspace/glob.ts';
import type { PermissionDecision, PermissionVerdict } from './types.ts';

/** What decides on a command. */
interface CommandPolicy {
  /** The rules about the tool that runs commands. */
  readonly rules: readonly CompiledRule[];
  /** The verdict where no rule matches. */
  readonly fallback: PermissionVerdict;
  /** The folder that it starts in, as the call names it. */
  readonly folder: string;
  /** Whether the rules allow a file to be opened. The path is absolute, or relative to the root. */
  readonly mayOpen: (access: Redirection['access'], path: string) => boolean;
}

const WILDCARDS =
  ' A wildcard covers arguments only of programs that are known to change and run nothing with them, such as cat and grep, and no path out of the workspace.';

/** Decides on a command by its argument vector; see `permissions` for how. */
export function decideCommand(
  toolName: string,
  command: readonly string[],
  { rules, fallback, folder, mayOpen }: CommandPolicy,
): PermissionDecision {
  const facts = analyzeCommand(command);
  const strict = rules.find((rule) => rule.verdict === 'deny' && concerns(rule, facts, folder));
  const decisive = strict ?? rules.find((rule) => rule.verdict === 'ask' && concerns(rule, facts, folder));
  if (decisive !== undefined) return decidedBy(decisive);
  const unknown = unknownPart(facts, rules);
  const reasonToAsk = `The command contains ${unknown ?? ''}, so no rule can tell what it does.`;
  const allowing = rules.filter((rule) => rule.verdict === 'allow');
  const whole = allowing.find((rule) => rule.pattern === undefined);
  if (whole !== undefined)
    return unknown !== undefined && hasPatternAgainst(rules)
      ? { verdict: 'ask', reason: reasonToAsk }
      : decidedBy(whole);
  if (unknown !== undefined) return { verdict: fallback === 'allow' ? 'ask' : fallback, reason: reasonToAsk };

  const isFolderKnown = !facts.leavesFolder && !mayLeaveFolder(folder);
  const isCovered = (each: CommandFacts['commands'][number]): boolean =>
    allowing.some(
      ({ pattern, isForNamedTools }) => isForNamedTools && coversCommand(pattern ?? '', each, isFolderKnown),
    );
  const open = facts.commands.find((each) => !isCovered(each));
  if (open !== undefined) {
    const shown = open.words.map(({ text = '…' }) => text).join(' ');
    const exact = patternFor(open);
    const isNear = allowing.some(({ pattern = '' }) => pattern.includes('*') && concernsCommand(pattern, open));
    const note = isNear ? WILDCARDS : '';
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
            suggestion: { allow: `${tool}(${escapeGlob(posix.isAbsolute(text) ? text : posix.join(folder, text))})` },
          }),
    };
  }
  const rule = allowing.find(({ pattern }) =>
    facts.commands.some((each) => coversCommand(pattern ?? '', each, isFolderKnown)),
  );
  return rule === undefined ? { verdict: fallback, reason: 'No rule matches.' } : decidedBy(rule);
}

/** Whether a rule is about something that the command runs, reads or writes. */
function concerns(
  { isForNamedTools, pattern, texts }: CompiledRule,
  { commands, redirections, suspected }: CommandFacts,
  folder: string,
): boolean {
  if (pattern === undefined) return true;
  const all = [...commands, ...suspected];
  const words = [...all.flatMap((each) => each.words), ...redirections.map(({ target }) => target)];
  if (words.some(({ text }) => text !== undefined && texts?.concerns(text, folder) === true)) return true;
  // A pattern for tools of any name is one of paths, unless it begins like a command.
  const isOfCommand = isForNamedTools || /^[\w.|-]+\s/.test(pattern);
  return isOfCommand && all.some((each) => concernsCommand(pattern, each));
}

/** What keeps the rules from telling what a command does. */
function unknownPart(facts: CommandFacts, rules: readonly CompiledRule[]): string | undefined {
  if (facts.unclear !== undefined) return facts.unclear;
  if (!hasPatternAgainst(rules)) return undefined;
  if (facts.changesFolder) return 'a change of folder';
  const words = [...facts.commands.flatMap((each) => each.words), ...facts.redirections.map(({ target }) => target)];
  return words.some(({ text }) => text === undefined) ? 'a word that only a shell knows' : undefined;
}

/** Whether what is not known could be what a rule forbids or asks about. */
function hasPatternAgainst(rules: readonly CompiledRule[]): boolean {
  return rules.some(({ verdict, pattern }) => verdict !== 'allow' && pattern !== undefined);
}
