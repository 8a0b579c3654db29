import type { CompiledRule } from './compile-rules.ts';
import type { PermissionResult, PermissionVerdict } from './types.ts';

/** What allow rules leave open of a call. */
interface OpenCall {
  readonly reason: string;
  /** The rule that would allow it. */
  readonly suggestion?: string | undefined;
  /** Whether it needs a person even where a call that no rule matches is allowed. */
  readonly needsPerson?: boolean;
}

/** A call as rules see it. */
export interface RuledCall {
  /** Whether a rule that asks or denies may be about it. */
  concerns(rule: CompiledRule): boolean;
  /** What of it is not known, as a phrase; with `isAgainst`, where a rule asks or denies. Absent: all is known. */
  unknown?(isAgainst: boolean): string | undefined;
  /** Returns one of these rules if together they cover all of it. */
  cover(allowing: readonly CompiledRule[]): CompiledRule | OpenCall;
}

/** Decides on a call by the rules for its tool: deny before ask before allow. */
export function decideCall(
  rules: readonly CompiledRule[],
  call: RuledCall,
  fallback: PermissionVerdict,
): PermissionResult {
  const concerning = (verdict: PermissionVerdict) =>
    rules.find((rule) => rule.verdict === verdict && call.concerns(rule));
  const decisive = concerning('deny') ?? concerning('ask');
  if (decisive !== undefined) return decidedBy(decisive);
  const allowing = rules.filter(({ verdict }) => verdict === 'allow');
  const whole = allowing.find(({ hasPattern }) => !hasPattern);
  /** A rule that may be about what is not known. */
  const against = rules.find(({ hasPattern, verdict }) => verdict !== 'allow' && hasPattern);
  const unknown = call.unknown?.(against !== undefined);
  if (unknown !== undefined && (against !== undefined || whole === undefined)) {
    const verdict = whole === undefined && fallback === 'deny' ? 'deny' : 'ask';
    const reason = `The command contains ${unknown}, so no rule can tell what it does.`;
    return { verdict, reason, ...(against !== undefined && { rule: against.rule }) };
  }
  const found = whole ?? call.cover(allowing);
  if ('rule' in found) return decidedBy(found);
  const { needsPerson = false, reason, suggestion } = found;
  const verdict = needsPerson && fallback === 'allow' ? 'ask' : fallback;
  return {
    verdict,
    reason,
    ...(verdict === 'ask' && suggestion !== undefined && { suggestion: { allow: suggestion } }),
  };
}

function decidedBy({ rule, verdict }: CompiledRule): PermissionResult {
  const verb = { allow: 'allows', ask: 'asks about', deny: 'denies' }[verdict];
  return { verdict, rule, reason: `The rule ${JSON.stringify(rule)} ${verb} it.` };
}
