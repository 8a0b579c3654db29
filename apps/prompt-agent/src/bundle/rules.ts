import type { ToolEffect } from '@kernel/protocol';
import type { PermissionRule } from '@kernel/toolbox/permissions';
import type { Flags } from '../options/flags.ts';

/** The rules of `--allow`, `--ask` and `--deny`, each with its flag. Their order does not matter. */
export function rulesOf({ allow = [], ask = [], deny = [] }: Flags): readonly RuleOfFlag[] {
  return [
    ...allow.map((text) => ({ flag: '--allow', rule: { allow: text } })),
    ...ask.map((text) => ({ flag: '--ask', rule: { ask: text } })),
    ...deny.map((text) => ({ flag: '--deny', rule: { deny: text } })),
  ];
}

/** A rule, and the flag that gave it. */
export interface RuleOfFlag {
  /** Such as `--allow`. */
  readonly flag: string;
  /** The rule. */
  readonly rule: PermissionRule;
}

const EFFECTS: Readonly<Record<ToolEffect, true>> = { read: true, idempotent: true, write: true, external: true };

/** What `--yes` can hold, separated by commas. */
export const EFFECT_NAMES: readonly string[] = Object.keys(EFFECTS);

/** The effects of `--yes`; none without it. */
export function effectsOf(yes = ''): ReadonlySet<ToolEffect> {
  return new Set(yes.split(',').filter((name) => isEffect(name)));
}

function isEffect(name: string): name is ToolEffect {
  return Object.hasOwn(EFFECTS, name);
}
