import { KernelError } from '@kernel/protocol';
import { compileText } from './match-text.ts';
import { splitWords } from './match-wildcard.ts';
import { type ParsedRule, parseRule } from './parse-rule.ts';
import type { TextTest } from './text-forms.ts';
import type { PermissionDecision, PermissionRule } from './types.ts';

export interface CompiledRule extends ParsedRule {
  /** Tests paths and addresses; undefined if any match, or the pattern is one of commands. */
  readonly texts: TextTest | undefined;
  /** The folder that it names, `cd FOLDER && …`, without which `pattern` is then. */
  readonly folder?: TextTest | undefined;
}

export function compileRule(rule: PermissionRule, root: string | undefined): CompiledRule {
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
          : compileText(pattern, root, isForCommands),
    };
  } catch (error) {
    throw new KernelError('CONFIG_INVALID', `The permission rule ${JSON.stringify(rule)} cannot be used.`, {
      hint: error instanceof Error ? error.message : 'Use a smaller pattern.',
      cause: error,
    });
  }
}

export function decidedBy({ rule, verdict }: CompiledRule): PermissionDecision {
  const verb = { allow: 'allows', ask: 'asks about', deny: 'denies' }[verdict];
  return { verdict, rule, reason: `The rule ${JSON.stringify(rule)} ${verb} it.` };
}
