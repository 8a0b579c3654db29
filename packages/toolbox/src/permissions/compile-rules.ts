import { KernelError, describeValue } from '@kernel/protocol';
import { compileMembers, type MemberTest, withoutNamedAddresses } from './match-member.ts';
import { compileText } from './match-text.ts';
import { splitWords, matchWildcard, type TextTest } from './match-wildcard.ts';
import { isKnownTool } from './subjects.ts';
import type { PermissionResult, PermissionRule, PermissionVerdict } from './types.ts';
import { sliceHead } from '@kernel/internal';

interface ParsedRule {
  readonly rule: PermissionRule;
  readonly verdict: PermissionVerdict;
  readonly names: readonly string[];
  matchesTool(name: string): boolean;
  readonly isForNamedTools: boolean;
  readonly isForCommands: boolean;
  /** The pattern for the arguments, with the spaces around it; undefined if any match. */
  readonly pattern: string | undefined;
}

export const RUN_COMMAND = 'run_command';

const VERDICTS: readonly PermissionVerdict[] = ['allow', 'ask', 'deny'];
const MAX_LENGTH = 2000;

function parseRule(rule: PermissionRule): ParsedRule {
  const given: unknown = rule;
  if (typeof given !== 'object' || given === null) throw invalid(describeValue(given), 'is not an object');
  const entries = Object.entries(given);
  const [verdict, text]: readonly unknown[] = entries[0] ?? [];
  const known = VERDICTS.find((each) => each === verdict);
  if (entries.length !== 1 || known === undefined || typeof text !== 'string')
    throw invalid(describeValue(JSON.stringify(given)), 'does not have one of "allow", "ask" and "deny"');
  if (text.length > MAX_LENGTH) throw invalid(`"${sliceHead(text, 40)}…"`, `is longer than ${MAX_LENGTH} characters`);
  const parts = /^([\w*|.:/-]+)(?:\((.*)\))?$/s.exec(text.trim());
  const [, tools, pattern] = parts ?? [];
  if (tools === undefined || pattern?.trim() === '')
    throw invalid(JSON.stringify(text), 'is not of the form TOOL or TOOL(pattern)');
  const names = tools.split('|');
  if (names.includes('')) throw invalid(JSON.stringify(text), 'has an empty name of a tool');
  const isAny = pattern === undefined || pattern === '*' || pattern === '**';
  return {
    rule,
    verdict: known,
    names,
    matchesTool: (name) => names.some((each) => matchWildcard(each, name)),
    isForNamedTools: !tools.includes('*'),
    isForCommands: names.every((each) => each === RUN_COMMAND),
    pattern: isAny ? undefined : pattern,
  };
}

function invalid(shown: string, problem: string): KernelError {
  return new KernelError('CONFIG_INVALID', `The permission rule ${shown} ${problem}.`, {
    hint: 'Write it as { "allow": "run_command(git status *)" }, { "ask": "write_file(src/**)" } or { "deny": "*(**/.env)" }.',
  });
}

export interface CompiledRule extends ParsedRule {
  /** Tests paths and addresses; undefined if any match, or the pattern is one of commands. */
  readonly texts: TextTest | undefined;
  /** Tests the values of tools of which nothing else is known; undefined if any match, or the rule is for no such tool. */
  readonly members: MemberTest | undefined;
  /** The folder that it names, `cd FOLDER && …`, without which `pattern` is then. */
  readonly folder?: TextTest | undefined;
}

export function compileRule(
  rule: PermissionRule,
  root: string | undefined,
  isKnown: (toolName: string) => boolean = isKnownTool,
): CompiledRule {
  const parsed = parseRule(rule);
  const { isForCommands, verdict } = parsed;
  const [program, named, and, ...words] = isForCommands ? splitWords(parsed.pattern ?? '') : [];
  const folder = program === 'cd' && and === '&&' && words.length > 0 ? named : undefined;
  const pattern = folder === undefined ? parsed.pattern : words.join(' ');
  try {
    return {
      ...parsed,
      pattern,
      folder: folder === undefined ? undefined : compileText(folder, root),
      // A rule that allows commands does so word by word; one that takes something away also finds its paths and addresses among them.
      texts:
        pattern === undefined || (isForCommands && verdict === 'allow')
          ? undefined
          : compileText(withoutNamedAddresses(pattern), root, isForCommands),
      members: pattern === undefined || parsed.names.every(isKnown) ? undefined : compileMembers(pattern, root),
    };
  } catch (error) {
    throw new KernelError('CONFIG_INVALID', `The permission rule ${JSON.stringify(rule)} cannot be used.`, {
      hint: error instanceof Error ? error.message : 'Use a smaller pattern.',
      cause: error,
    });
  }
}

export function decidedBy({ rule, verdict }: CompiledRule): PermissionResult {
  const verb = { allow: 'allows', ask: 'asks about', deny: 'denies' }[verdict];
  return { verdict, rule, reason: `The rule ${JSON.stringify(rule)} ${verb} it.` };
}
