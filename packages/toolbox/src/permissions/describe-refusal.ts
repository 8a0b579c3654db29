import type { PermissionDecision } from './types.ts';

export function describeRefusal({ verdict, reason, suggestion }: PermissionDecision): string {
  if (verdict === 'deny') return reason;
  const hint = suggestion === undefined ? '' : ` The rule ${JSON.stringify(suggestion)} would allow it.`;
  return `${reason} It needs approval, and nobody can be asked.${hint}`;
}
