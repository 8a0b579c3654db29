import { sliceHead } from '@kernel/internal';
import { KernelError, describeValue } from '@kernel/protocol';
import { isKnownTool } from './known-tools.ts';
import { type CommandTest, compileCommand } from './match-command.ts';
import { compileMembers, type MemberTest, withoutNamedAddresses } from './match-member.ts';
import { compileText } from './match-text.ts';
import { matchWildcard, splitWords, type TextTest } from './match-wildcard.ts';
import type { PermissionRule, PermissionVerdict } from './types.ts';

/** A rule with its compiled pattern. A rule without a pattern is about every call of its tools, and has no test. */
export interface CompiledRule {
  readonly rule: PermissionRule;
  readonly verdict: PermissionVerdict;
  /** Whether it has a pattern for the arguments. */
  readonly hasPattern: boolean;
  matchesTool(name: string): boolean;
  /** Tests paths and addresses; undefined if the pattern is one of words alone. */
  readonly texts: TextTest | undefined;
  /** Tests the values of tools of which nothing else is known; undefined if the rule is for no such tool. */
  readonly members: MemberTest | undefined;
  /** Tests commands; undefined if the pattern is none of words. */
  readonly words: CommandTest | undefined;
  /** The folder that it names, `cd FOLDER && …`. */
  readonly folder: TextTest | undefined;
}

export const RUN_COMMAND = 'run_command';

const VERDICTS: readonly PermissionVerdict[] = ['allow', 'ask', 'deny'];
const MAX_LENGTH = 2000;

export function compileRule(
  rule: PermissionRule,
  root: string | undefined,
  isKnown: (toolName: string) => boolean = isKnownTool,
): CompiledRule {
  const { names, verdict, ...written } = parseRule(rule);
  const isForCommands = names.every((each) => each === RUN_COMMAND);
  const isForNamedTools = names.every((each) => !each.includes('*'));
  const [program, named, and, ...words] = isForCommands ? splitWords(written.pattern ?? '') : [];
  const hasFolder = program === 'cd' && named !== undefined && and === '&&' && words.length > 0;
  const pattern = hasFolder ? words.join(' ') : written.pattern;
  // A pattern for tools of any name is one of paths, unless it begins like a command. Then it allows none.
  const isOfWords = isForNamedTools || (verdict !== 'allow' && /^\s*[\w.|-]+\s/.test(pattern ?? ''));
  // A rule that allows commands does so word by word; one that takes something away also finds its paths and addresses
  // among them.
  const isOfTexts = !isForCommands || verdict !== 'allow';
  try {
    const folder = hasFolder ? compileText(named, root) : undefined;
    return {
      rule,
      verdict,
      hasPattern: pattern !== undefined,
      matchesTool: (name) => names.some((each) => matchWildcard(each, name)),
      texts:
        pattern !== undefined && isOfTexts
          ? compileText(withoutNamedAddresses(pattern), root, isForCommands)
          : undefined,
      members: pattern === undefined || names.every(isKnown) ? undefined : compileMembers(pattern, root),
      words: pattern !== undefined && isOfWords ? compileCommand(pattern, folder) : undefined,
      folder,
    };
  } catch (error) {
    throw new KernelError('CONFIG_INVALID', `The permission rule ${JSON.stringify(rule)} cannot be used.`, {
      hint: error instanceof Error ? error.message : 'Use a smaller pattern.',
      cause: error,
    });
  }
}

/** Reads a rule: verdict, names of tools, and the pattern with its spaces, undefined if any arguments match. */
function parseRule(rule: PermissionRule) {
  const given: unknown = rule;
  if (typeof given !== 'object' || given === null) throw invalid(describeValue(given), 'is not an object');
  const entries = Object.entries(given);
  const [key, text]: readonly unknown[] = entries[0] ?? [];
  const verdict = VERDICTS.find((each) => each === key);
  if (entries.length !== 1 || verdict === undefined || typeof text !== 'string')
    throw invalid(describeValue(JSON.stringify(given)), 'does not have one of "allow", "ask" and "deny"');
  if (text.length > MAX_LENGTH) throw invalid(`"${sliceHead(text, 40)}…"`, `is longer than ${MAX_LENGTH} characters`);
  const [, tools, pattern] = /^([\w*|.:/-]+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tools === undefined || pattern?.trim() === '')
    throw invalid(JSON.stringify(text), 'is not of the form TOOL or TOOL(pattern)');
  const names = tools.split('|');
  if (names.includes('')) throw invalid(JSON.stringify(text), 'has an empty name of a tool');
  return { verdict, names, pattern: pattern === '*' || pattern === '**' ? undefined : pattern };
}

function invalid(shown: string, problem: string): KernelError {
  return new KernelError('CONFIG_INVALID', `The permission rule ${shown} ${problem}.`, {
    hint: 'Write it as { "allow": "run_command(git status *)" }, { "ask": "write_file(src/**)" } or { "deny": "*(**/.env)" }.',
  });
}
