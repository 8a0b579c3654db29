import { visible } from '@kernel/internal';
import type { Toolset } from '@kernel/protocol';
import type { PermissionRule } from '@kernel/toolbox/permissions';

const PREFIX = 'mcp__';

/**
 * Describes the rules that ask or deny by a name that a server's tool had before it was called `mcp__server__tool`:
 * `server_tool`. They match no tool any more. Returns one sentence a rule.
 */
export function formerNames(rules: readonly PermissionRule[], toolset: Pick<Toolset, 'list'>): readonly string[] {
  const tools = toolset.list().map(({ name }) => name);
  const ofServers = tools.filter((name) => name.startsWith(PREFIX));
  return rules.flatMap((rule) => {
    const text = 'deny' in rule ? rule.deny : 'ask' in rule ? rule.ask : '';
    const names = text
      .replace(/\([^]*/, '')
      .trim()
      .split('|');
    return names.flatMap((name) => {
      const pattern = new RegExp(`^${name.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`);
      const now = ofServers.filter((each) => pattern.test(each.slice(PREFIX.length).replace('__', '_')));
      if (now.length === 0 || tools.some((each) => pattern.test(each))) return [];
      return visible(`The rule ${JSON.stringify(rule)} is about no tool. Write ${now.join('|')} instead of ${name}.`);
    });
  });
}
