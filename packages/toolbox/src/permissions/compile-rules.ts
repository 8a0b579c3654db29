import { KernelError } from '@kernel/protocol';
import { compileText, type TextTest } from './match-text.ts';
import { type ParsedRule, parseRule } from './parse-rule.ts';
import type { PermissionDecision, PermissionRule } from './types.ts';

/** A rule whose pattern is compiled. */
export interface CompiledRule extends ParsedRule {
  /** Tests paths and addresses; undefined if any match. */
  readonly texts: TextTest | undefined;
}

/** Compiles a rule. Throws `CONFIG_INVALID` for one that cannot be read. */
export function compileRule(rule: PermissionRule, root: string | undefined): CompiledRule {
  const parsed = parseRule(rule);
  try {
    return { ...parsed, texts: parsed.pattern === undefined ? undefined : compileText(parsed.pattern, root) };
  } catch (error) {
    throw new KernelError('CONFIG_INVALID', `The permission rule ${JSON.stringify(rule)} cannot be used.`, {
      hint: error instanceof Error ? error.message : 'Use a smaller pattern.',
      cause: error,
    });
  }
}

/** The decision of a rule. */
export function decidedBy({ rule, verdict }: CompiledRule): PermissionDecision {
  const verb = { allow: 'allows', ask: 'asks about', deny: 'denies' }[verdict];
  return { verdict, rule, reason: `The rule ${JSON.stringify(rule)} ${verb} it.` };
}
